"""Writes the oracle's fixtures: every operation's values and gradients, by JAX in f64.

Not here: the random graphs (graphs.py) and what the cases are compared with (the Rust tests).
"""

import itertools
import sys

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platform_name", "cpu")

import jax.numpy as jnp  # noqa: E402  (after the precision is chosen)

import files  # noqa: E402
import graphs  # noqa: E402

# --- where inputs are drawn from ------------------------------------------------------------


class Domain:
    """Numbers in [low, high], none closer than `margin` to one of `avoid` (kinks and poles)."""

    def __init__(self, low, high, avoid=(), margin=0.1):
        self.low, self.high, self.avoid, self.margin = low, high, avoid, margin

    def draw(self, rng, shape):
        n = int(np.prod(shape))
        out = []
        while len(out) < n:
            x = rng.uniform(self.low, self.high)
            if all(abs(x - a) > self.margin for a in self.avoid):
                out.append(x)
        return np.array(out).reshape(shape)


ANY = Domain(-2.0, 2.0)
POSITIVE = Domain(0.3, 2.5)
NONZERO = Domain(-2.0, 2.0, avoid=(0.0,), margin=0.3)
WIDE = Domain(-30.0, 30.0, avoid=(0.0,))
DISTINCT = "distinct"  # no two numbers of the whole case closer than a fixed gap: no ties


def f32_exact(array):
    """Rounds to f32, so that the f32 run of a case starts from the same numbers."""
    return np.asarray(array).astype(np.float32).astype(np.float64)


# --- cases ------------------------------------------------------------------------------------

FAMILIES = {}
GRAPHS = 200


def case(family, label, shapes, function, domains=ANY, cut=()):
    """One case. `cut` names the inputs that only take part in comparisons: no gradient flows there."""
    if not isinstance(domains, (tuple, list)):
        domains = [domains] * len(shapes)
    FAMILIES.setdefault(family, []).append((label, shapes, function, domains, cut))


def name_of(label, shapes):
    return label + "".join("[" + ", ".join(map(str, s)) + "]" for s in shapes)


def draw_inputs(rng, shapes, domains):
    if all(d == DISTINCT for d in domains):
        sizes = [int(np.prod(s)) for s in shapes]
        total = sum(sizes)
        grid = (np.arange(total) + rng.uniform(0.3, 0.7, total)) / max(total, 1) * 4.0 - 2.0
        rng.shuffle(grid)
        parts = np.split(grid, np.cumsum(sizes)[:-1])
        return [f32_exact(p.reshape(s)) for p, s in zip(parts, shapes)]
    return [f32_exact(d.draw(rng, s)) for d, s in zip(domains, shapes)]


def evaluate(family, index, label, shapes, function, domains, cut):
    name = name_of(label, shapes)
    # One stream a case, keyed by its name: a new case leaves the others' numbers alone.
    rng = np.random.default_rng([20240607, *name.encode()])
    inputs = draw_inputs(rng, shapes, domains)
    out_shape = jax.eval_shape(function, *inputs).shape
    seed = f32_exact(rng.uniform(-1.5, 1.5, out_shape))
    sizes = [int(np.prod(s)) for s in shapes] + [int(np.prod(out_shape))]
    cuts = np.cumsum(sizes)[:-1]

    def all_of(z):
        *flat, s = jnp.split(z, cuts)
        xs = [x.reshape(shape) for x, shape in zip(flat, shapes)]
        y, pullback = jax.vjp(function, *xs)
        grads = pullback(s.reshape(out_shape))
        return jnp.concatenate([y.ravel(), *[g.ravel() for g in grads]])

    z = jnp.concatenate([jnp.asarray(x).ravel() for x in [*inputs, seed]])
    values, jacobian = jax.jit(lambda z: (all_of(z), jax.jacfwd(all_of)(z)))(z)
    scales = np.nan_to_num(np.abs(np.asarray(jacobian)), posinf=0.0) @ np.abs(np.asarray(z))
    pieces = np.cumsum([sizes[-1], *sizes[:-1]])[:-1]
    y, *grads = np.split(np.asarray(values), pieces)
    y_scale, *grad_scales = np.split(scales, pieces)
    for i in cut:
        assert not np.any(grads[i]), name
    return {
        "name": name,
        "inputs": [files.tensor(x.shape, x) for x in inputs],
        "seed": files.numbers(seed),
        "output": files.tensor(out_shape, y),
        "grads": [None if i in cut else files.numbers(g) for i, g in enumerate(grads)],
        "output_scale": files.scales(y_scale),
        "grad_scales": [None if i in cut else files.scales(g) for i, g in enumerate(grad_scales)],
    }


# --- elementwise, one input -----------------------------------------------------------------

SHAPES = [(), (1,), (37,), (2, 3, 1, 4), (0, 3)]


def erf(x):
    return jax.scipy.special.erf(x)


def softplus(x):
    return jnp.logaddexp(x, 0.0)


def sigmoid(x):
    return 1.0 / (1.0 + jnp.exp(-x))


def gelu_tanh(x):
    return 0.5 * x * (1.0 + jnp.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


ELEMENTWISE = [
    ("neg", lambda x: -x, ANY),
    ("powf(2.5)", lambda x: x**2.5, POSITIVE),
    ("powf(-1.5)", lambda x: x**-1.5, POSITIVE),
    ("powf(3)", lambda x: x * x * x, NONZERO),
    ("powf(0)", lambda x: jnp.ones_like(x) + 0.0 * x, NONZERO),
    ("powi(0)", lambda x: jnp.ones_like(x) + 0.0 * x, NONZERO),
    ("powi(1)", lambda x: x, ANY),
    ("powi(2)", lambda x: x * x, ANY),
    ("powi(3)", lambda x: x * x * x, ANY),
    ("powi(7)", lambda x: x * x * x * x * x * x * x, ANY),
    ("powi(-2)", lambda x: 1.0 / (x * x), NONZERO),
    ("square", lambda x: x * x, ANY),
    ("sqrt", jnp.sqrt, POSITIVE),
    ("rsqrt", lambda x: 1.0 / jnp.sqrt(x), POSITIVE),
    ("recip", lambda x: 1.0 / x, NONZERO),
    ("exp", jnp.exp, ANY),
    ("exp_m1", jnp.expm1, ANY),
    ("ln", jnp.log, POSITIVE),
    ("ln_1p", lambda x: jnp.log(1.0 + x), Domain(-0.7, 3.0)),
    ("abs", jnp.abs, NONZERO),
    ("sin", jnp.sin, Domain(-4.0, 4.0)),
    ("cos", jnp.cos, Domain(-4.0, 4.0)),
    ("tan", jnp.tan, Domain(-1.2, 1.2)),
    ("tanh", jnp.tanh, ANY),
    ("sigmoid", sigmoid, ANY),
    ("relu", lambda x: jnp.where(x > 0, x, 0.0), NONZERO),
    ("leaky_relu(0.1)", lambda x: jnp.where(x > 0, x, 0.1 * x), NONZERO),
    ("elu(1.3)", lambda x: jnp.where(x > 0, x, 1.3 * jnp.expm1(jnp.minimum(x, 0.0))), NONZERO),
    ("gelu", lambda x: 0.5 * x * (1.0 + erf(x / np.sqrt(2.0))), Domain(-4.0, 4.0)),
    ("gelu_tanh", gelu_tanh, Domain(-4.0, 4.0)),
    ("silu", lambda x: x * sigmoid(x), Domain(-4.0, 4.0)),
    ("softplus", softplus, Domain(-4.0, 4.0)),
    ("softplus_beta(2.5)", lambda x: softplus(2.5 * x) / 2.5, ANY),
    ("clamp(-0.5, 1)", lambda x: jnp.clip(x, -0.5, 1.0), Domain(-2.0, 2.0, (-0.5, 1.0))),
    ("clamp_min(-0.5)", lambda x: jnp.maximum(x, -0.5), Domain(-2.0, 2.0, (-0.5,))),
    ("clamp_max(0.5)", lambda x: jnp.minimum(x, 0.5), Domain(-2.0, 2.0, (0.5,))),
    ("x + 1.75", lambda x: x + 1.75, ANY),
    ("x - 1.75", lambda x: x - 1.75, ANY),
    ("x * 1.75", lambda x: x * 1.75, ANY),
    ("x / 1.75", lambda x: x / 1.75, ANY),
    ("1.75 + x", lambda x: 1.75 + x, ANY),
    ("1.75 - x", lambda x: 1.75 - x, ANY),
    ("1.75 * x", lambda x: 1.75 * x, ANY),
    ("1.75 / x", lambda x: 1.75 / x, NONZERO),
]
for label, function, domain in ELEMENTWISE:
    for shape in SHAPES:
        case("elementwise", label, [shape], function, domain)

# Far from zero a naive formula overflows or cancels.
for label, function, domain in [
    ("tanh wide", jnp.tanh, WIDE),
    ("sigmoid wide", lambda x: jnp.where(x > 0, 1 / (1 + jnp.exp(-jnp.abs(x))), jnp.exp(-jnp.abs(x)) / (1 + jnp.exp(-jnp.abs(x)))), WIDE),
    ("softplus wide", softplus, WIDE),
    ("silu wide", lambda x: x * jax.nn.sigmoid(x), WIDE),
    ("gelu wide", lambda x: 0.5 * x * jax.scipy.special.erfc(-x / np.sqrt(2.0)), WIDE),
    ("gelu_tanh wide", gelu_tanh, WIDE),
    ("exp wide", jnp.exp, WIDE),
    ("ln wide", jnp.log, Domain(1e-6, 1e6)),
    ("sin wide", jnp.sin, WIDE),
    ("cos wide", jnp.cos, WIDE),
    ("exp_m1 narrow", jnp.expm1, Domain(-1e-5, 1e-5)),
    ("ln_1p narrow", jnp.log1p, Domain(-1e-5, 1e-5)),
]:
    case("elementwise", label, [(37,)], function, domain)

# --- functions of angles, special functions, rounding, activation functions of pieces -------------

BETWEEN = Domain(-2.0, 2.0, (-2.0, -1.0, 0.0, 1.0, 2.0))
NEAR = Domain(-2.0, 2.0, (-1.5, -0.5, 0.5, 1.5))
INSIDE = Domain(-0.8, 0.8)
FAR = Domain(-4.0, 4.0)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def asinh(x):
    # Odd, and accurate near 0: ln(x + sqrt(x^2 + 1)) cancels there.
    a = jnp.abs(x)
    return jnp.sign(x) * jnp.log1p(a + a * a / (1.0 + jnp.sqrt(a * a + 1.0)))


def acosh(x):
    return jnp.log1p((x - 1.0) + jnp.sqrt((x - 1.0) * (x + 1.0)))


def atanh(x):
    return 0.5 * (jnp.log1p(x) - jnp.log1p(-x))


def step(f):
    """A function of steps, recorded but flat."""
    return lambda x: jax.lax.stop_gradient(f(x)) + 0.0 * x


def below(x):
    """x where it is negative, so that an exponential on the other side cannot overflow."""
    return jnp.minimum(x, 0.0)


FUNCTIONS = [
    ("asin", jnp.arcsin, INSIDE),
    ("acos", jnp.arccos, INSIDE),
    ("atan", jnp.arctan, FAR),
    ("sinh", lambda x: 0.5 * (jnp.exp(x) - jnp.exp(-x)), ANY),
    ("cosh", lambda x: 0.5 * (jnp.exp(x) + jnp.exp(-x)), ANY),
    ("asinh", asinh, FAR),
    ("acosh", acosh, Domain(1.3, 5.0)),
    ("atanh", lambda x: 0.5 * jnp.log((1.0 + x) / (1.0 - x)), INSIDE),
    ("erf", erf, ANY),
    ("erfc", jax.scipy.special.erfc, ANY),
    ("log2", lambda x: jnp.log(x) / np.log(2.0), POSITIVE),
    ("log10", lambda x: jnp.log(x) / np.log(10.0), POSITIVE),
    ("exp2", lambda x: jnp.exp(x * np.log(2.0)), ANY),
    ("logit", lambda x: jnp.log(x / (1.0 - x)), Domain(0.15, 0.85)),
    ("log_sigmoid", lambda x: -jnp.log(1.0 + jnp.exp(-x)), FAR),
    ("floor", step(jnp.floor), BETWEEN),
    ("ceil", step(jnp.ceil), BETWEEN),
    ("round", step(jnp.round), NEAR),
    ("trunc", step(jnp.trunc), BETWEEN),
    ("fract", lambda x: x - step(jnp.trunc)(x), BETWEEN),
    ("sign", step(jnp.sign), NONZERO),
    ("softsign", lambda x: x / (1.0 + jnp.abs(x)), NONZERO),
    ("hardtanh(-0.5, 1)", lambda x: jnp.clip(x, -0.5, 1.0), Domain(-2.0, 2.0, (-0.5, 1.0))),
    ("relu6", lambda x: jnp.clip(x, 0.0, 6.0), Domain(-2.0, 8.0, (0.0, 6.0))),
    ("hardsigmoid", lambda x: jnp.clip(x + 3.0, 0.0, 6.0) / 6.0, Domain(-5.0, 5.0, (-3.0, 3.0))),
    ("hardswish", lambda x: x * jnp.clip(x + 3.0, 0.0, 6.0) / 6.0, Domain(-5.0, 5.0, (-3.0, 3.0))),
    ("threshold(0.5, -3)", lambda x: jnp.where(x > 0.5, x, -3.0), Domain(-2.0, 2.0, (0.5,))),
    ("nan_to_num", lambda x: x, ANY),
    ("mish", lambda x: x * jnp.tanh(jnp.log(1.0 + jnp.exp(x))), FAR),
    ("selu", lambda x: SELU_SCALE * jnp.where(x > 0, x, SELU_ALPHA * jnp.expm1(below(x))), NONZERO),
    ("celu(0.7)", lambda x: jnp.where(x > 0, x, 0.7 * jnp.expm1(below(x) / 0.7)), NONZERO),
]
for label, function, domain in FUNCTIONS:
    for shape in [(), (37,), (2, 3), (0, 3)]:
        case("functions", label, [shape], function, domain)
for label, function, domain in [
    ("atan wide", jnp.arctan, WIDE),
    ("asinh wide", asinh, WIDE),
    ("asinh narrow", asinh, Domain(-1e-5, 1e-5)),
    ("acosh wide", acosh, Domain(1.5, 1e3)),
    ("atanh narrow", atanh, Domain(-1e-5, 1e-5)),
    ("erf narrow", erf, Domain(-1e-5, 1e-5)),
    ("erfc wide", jax.scipy.special.erfc, Domain(0.5, 8.0)),
    ("log_sigmoid wide", lambda x: -softplus(-x), WIDE),
    ("mish wide", lambda x: x * jnp.tanh(softplus(x)), WIDE),
    ("softsign wide", lambda x: x / (1.0 + jnp.abs(x)), WIDE),
]:
    case("functions", label, [(37,)], function, domain)

# --- masks, gates, slopes, interpolation -----------------------------------------------------------

for a, m in [((3, 4), (3, 4)), ((3, 4), (4,)), ((2, 3, 4), (3, 1))]:
    case("masked", "masked_fill", [a, m], lambda x, m: jnp.where(m > 0.0, 0.5, x), [DISTINCT, DISTINCT], cut=(1,))
case("masked", "masked_fill", [(37,), ()], lambda x, m: jnp.where(m > 3.0, 0.5, x), [DISTINCT, DISTINCT], cut=(1,))


def dropout(x):
    # The first of two is dropped, the second kept.
    kept = jnp.arange(x.size).reshape(x.shape) % 2 == 1
    return jnp.where(kept, x / 0.6, 0.0)


for shape in [(), (37,), (3, 4), (0, 3)]:
    case("masked", "dropout(0.4)", [shape], dropout)
case("masked", "dropout(1)", [(5,)], lambda x: 0.0 * x)
for a, b in [((), ()), ((37,), (37,)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((0, 3), (3,))]:
    # The weight of an f32 run is the f32 next to it: within a rounding.
    case("masked", "lerp(0.3)", [a, b], lambda a, b: 0.7 * a + 0.3 * b)
for a, b in [((37,), (37,)), ((3,), (2, 3))]:
    case("masked", "lerp(0.8)", [a, b], lambda a, b: 0.2 * a + 0.8 * b)
for a, b, w in [((3, 4),) * 3, ((3, 4), (3, 4), ()), ((37,), (2, 1), (37,)), ((3, 1), (1, 4), (3, 1)), ((0, 3), (3,), ())]:
    case("masked", "lerp_by", [a, b, w], lambda a, b, w: (1.0 - w) * a + w * b)
for a, b in [((), ()), ((37,), (37,)), ((3, 4), ()), ((3, 4), (4,)), ((2, 3, 4), (3, 1)), ((0, 3), (3,))]:
    case("masked", "prelu", [a, b], lambda x, w: jnp.where(x > 0, x, w * x), [NONZERO, POSITIVE])


def glu(x, axis):
    a, b = jnp.split(x, 2, axis=axis)
    return a * sigmoid(b)


for shape in [(2,), (8,), (6, 3), (0, 3)]:
    case("masked", "glu 0", [shape], lambda x: glu(x, 0))
for shape in [(3, 4), (2, 6, 2), (0, 4), (3, 74)]:
    case("masked", "glu 1", [shape], lambda x: glu(x, 1))
case("masked", "glu_as 1", [(3, 4)], lambda x: glu(x, 1))

# --- elementwise, two inputs ------------------------------------------------------------------

PAIRS = [
    ((), ()),
    ((37,), (37,)),
    ((3, 4), (3, 4)),
    ((2, 3, 2, 2), (2, 3, 2, 2)),
    ((3, 4), ()),
    ((), (3, 4)),
    ((3, 4), (4,)),
    ((4,), (3, 4)),
    ((3, 4), (1, 4)),
    ((3, 1), (3, 4)),
    ((3, 1), (1, 4)),
    ((1, 4), (3, 1)),
    ((3, 1), (4,)),
    ((2, 3, 4), (3, 1)),
    ((3, 1), (2, 3, 4)),
    ((1,), (5,)),
    ((5,), (1,)),
    ((1, 1), (1,)),
    ((2, 1, 4, 1), (3, 1, 5)),
    ((2, 1, 1, 2, 2, 1), (3, 1, 2, 4)),
    ((3, 37), (37,)),
    ((3, 37), (3, 1)),
    ((0, 3), (3,)),
    ((3,), (0, 3)),
]
FEW_PAIRS = [
    ((), ()),
    ((37,), (37,)),
    ((3, 4), (3, 4)),
    ((3, 4), ()),
    ((), (3, 4)),
    ((3, 4), (4,)),
    ((3, 1), (1, 4)),
    ((3, 1), (2, 3, 4)),
    ((0, 3), (3,)),
]
for a, b in PAIRS:
    case("broadcast", "add", [a, b], lambda a, b: a + b)
    case("broadcast", "sub", [a, b], lambda a, b: a - b)
    case("broadcast", "mul", [a, b], lambda a, b: a * b)
    case("broadcast", "div", [a, b], lambda a, b: a / b, [ANY, NONZERO])
for a, b in FEW_PAIRS:
    case("broadcast", "maximum", [a, b], lambda a, b: jnp.where(a > b, a, b), DISTINCT)
    case("broadcast", "minimum", [a, b], lambda a, b: jnp.where(a < b, a, b), DISTINCT)
    case("broadcast", "pow", [a, b], lambda a, b: jnp.exp(b * jnp.log(a)), [POSITIVE, ANY])
    case("broadcast", "atan2", [a, b], jnp.arctan2, NONZERO)
    case("broadcast", "hypot", [a, b], lambda a, b: jnp.sqrt(a * a + b * b), NONZERO)
    case("broadcast", "logaddexp", [a, b], lambda a, b: jnp.log(jnp.exp(a) + jnp.exp(b)))
    for sign, domain in [("", Domain(2.2, 2.6)), (" below 0", Domain(-2.6, -2.2))]:
        domains = [domain, Domain(0.95, 1.05)]
        case("broadcast", f"fmod{sign}", [a, b], lambda a, b: a - b * jax.lax.stop_gradient(jnp.trunc(a / b)), domains)
        case("broadcast", f"remainder{sign}", [a, b], lambda a, b: a - b * jax.lax.stop_gradient(jnp.floor(a / b)), domains)

# --- fused expressions ---------------------------------------------------------------------------

for label, function, domain in [
    ("-x", lambda x: -x, ANY),
    ("abs", jnp.abs, NONZERO),
    ("square", lambda x: x * x, ANY),
    ("recip", lambda x: 1.0 / x, NONZERO),
    ("powi(3)", lambda x: x * x * x, ANY),
    ("powi(-2)", lambda x: 1.0 / (x * x), NONZERO),
    ("powi(0)", lambda x: 1.0 + 0.0 * x, NONZERO),
    ("sqrt", jnp.sqrt, POSITIVE),
    ("exp", jnp.exp, ANY),
    ("ln", jnp.log, POSITIVE),
    ("ln_1p", lambda x: jnp.log(1.0 + x), Domain(-0.7, 3.0)),
    ("sin", jnp.sin, ANY),
    ("cos", jnp.cos, ANY),
    ("tanh", jnp.tanh, ANY),
    ("sigmoid", lambda x: 1.0 / (1.0 + jnp.exp(-x)), ANY),
    ("silu", lambda x: x / (1.0 + jnp.exp(-x)), ANY),
    ("relu", lambda x: jnp.where(x > 0.0, x, 0.0), NONZERO),
    ("erf", erf, ANY),
    ("clamp(-0.5, 1)", lambda x: jnp.clip(x, -0.5, 1.0), Domain(-2.0, 2.0, (-0.5, 1.0))),
    ("numbers", lambda x: 1.5 - (2.0 * x + 0.25) / 4.0 - 3.0 / x + (0.5 + x) * 2.0, NONZERO),
]:
    for shape in [(), (3, 37), (0, 3)]:
        case("fuse", f"fuse {label}", [shape], function, domain)
for a, b in [((3, 4), (3, 4)), ((3, 4), (4,)), ((), (3, 4)), ((3, 1), (2, 1, 4)), ((0, 3), (3,)), ((2, 37), (2, 1))]:
    case("fuse", "fuse arithmetic", [a, b], lambda a, b: a * a / b - b, [ANY, NONZERO])
for a, b in [((3, 4), (4,)), ((37,), ())]:
    case("fuse", "fuse maximum and minimum", [a, b], lambda a, b: jnp.where(a > b, a - 2.0 * b, b - 2.0 * a), DISTINCT)
for x, m, s in [((5, 37), (37,), (5, 1)), ((2, 3, 4), (3, 1), ())]:
    case("fuse", "fuse three", [x, m, s], lambda x, m, s: jnp.tanh((x - m) * s))
case("fuse", "fuse one twice", [(3, 4), (4,)], lambda x, y: x * y * jnp.tanh(x * y) + x)
case(
    "fuse",
    "fuse six",
    [(2, 3), (3,), (), (2, 1), (1, 3), (4, 1, 1)],
    lambda a, b, c, d, f, g: (d - f) / (1.0 + jnp.exp(-(a * b + c))) / g,
    [ANY, ANY, ANY, ANY, ANY, NONZERO],
)

# --- reductions -------------------------------------------------------------------------------


def var(correction):
    def f(x, axis, keepdims):
        n = x.size if axis is None else x.shape[axis]
        d = x - jnp.mean(x, axis=axis, keepdims=True)
        return jnp.sum(d * d, axis=axis, keepdims=keepdims) / (n - correction)

    return f


def std(correction):
    return lambda x, axis, keepdims: jnp.sqrt(var(correction)(x, axis, keepdims))


def logsumexp(x, axis, keepdims):
    # Inputs are small: no shift is needed, and none can hide a fault.
    return jnp.log(jnp.sum(jnp.exp(x), axis=axis, keepdims=keepdims))


REDUCTIONS = [
    ("sum", lambda x, axis, keepdims: jnp.sum(x, axis=axis, keepdims=keepdims), ANY, ""),
    ("mean", lambda x, axis, keepdims: jnp.mean(x, axis=axis, keepdims=keepdims), ANY, ""),
    ("var", var(0), ANY, "(0)"),
    ("var", var(1), ANY, "(1)"),
    ("std", std(0), ANY, "(0)"),
    ("std", std(1), ANY, "(1)"),
    ("max", lambda x, axis, keepdims: jnp.max(x, axis=axis, keepdims=keepdims), DISTINCT, ""),
    ("min", lambda x, axis, keepdims: jnp.min(x, axis=axis, keepdims=keepdims), DISTINCT, ""),
    ("logsumexp", logsumexp, ANY, ""),
]
WHOLE = [(5,), (37,), (3, 4), (2, 3, 2, 2)]
AXES = [
    ((5,), 0),
    ((3, 4), 0),
    ((3, 4), 1),
    ((3, 37), 1),
    ((37, 3), 0),
    ((2, 3, 4), 0),
    ((2, 3, 4), 1),
    ((2, 3, 4), 2),
    ((2, 3, 2, 2), 1),
    ((2, 1, 3, 2, 2), 2),
]
KEPT = [((5,), 0), ((3, 4), 0), ((3, 4), 1), ((2, 3, 4), 1), ((2, 2, 3, 2), 3)]
for op, f, domain, suffix in REDUCTIONS:
    for shape in WHOLE:
        case("reduce", f"{op}{suffix}", [shape], lambda x, f=f: f(x, None, False), domain)
    for shape, axis in AXES:
        case("reduce", f"{op}_axis {axis}{suffix}", [shape], lambda x, f=f, a=axis: f(x, a, False), domain)
    for shape, axis in KEPT:
        case("reduce", f"{op}_keepdim {axis}{suffix}", [shape], lambda x, f=f, a=axis: f(x, a, True), domain)
    # One number, an axis of size 1 and an axis of no entries; not where the answer has no derivative.
    if suffix != "(1)" and op != "std":
        case("reduce", f"{op}{suffix}", [()], lambda x, f=f: f(x, None, False), domain)
        case("reduce", f"{op}_axis 1{suffix}", [(3, 1)], lambda x, f=f: f(x, 1, False), domain)
        case("reduce", f"{op}_keepdim 0{suffix}", [(1, 3)], lambda x, f=f: f(x, 0, True), domain)
    case("reduce", f"{op}_axis 1{suffix}", [(0, 3)], lambda x, f=f: f(x, 1, False), domain)
    if op in ("sum", "mean"):
        case("reduce", f"{op}", [(0, 3)], lambda x, f=f: f(x, None, False), domain)
        case("reduce", f"{op}_axis 0", [(0, 3)], lambda x, f=f: f(x, 0, False), domain)
        case("reduce", f"{op}_keepdim 0", [(0, 3)], lambda x, f=f: f(x, 0, True), domain)
        case("reduce", f"{op}_axis 5", [(2, 1, 2, 1, 2, 3)], lambda x, f=f: f(x, 5, False), domain)
        case("reduce", f"{op}_axis 0", [(2, 1, 2, 1, 2, 3)], lambda x, f=f: f(x, 0, False), domain)


def log_softmax(x, axis):
    shifted = x - jax.lax.stop_gradient(jnp.max(x, axis=axis, keepdims=True, initial=-1e9))
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted), axis=axis, keepdims=True))


def softmax(x, axis):
    e = jnp.exp(x - jax.lax.stop_gradient(jnp.max(x, axis=axis, keepdims=True, initial=-1e9)))
    return e / jnp.sum(e, axis=axis, keepdims=True)


def layer_norm(x, axis):
    centred = x - x.mean(axis, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(axis, keepdims=True) + 0.1)


SOFT_AXES = [
    ((5,), 0),
    ((37,), 0),
    ((3, 4), 0),
    ((3, 4), 1),
    ((3, 37), 1),
    ((37, 3), 0),
    ((3, 1), 1),
    ((2, 3, 4), 0),
    ((2, 3, 4), 1),
    ((2, 3, 4), 2),
    ((2, 2, 3, 2), 1),
    ((0, 3), 1),
]
for shape, axis in SOFT_AXES:
    case("softmax", f"softmax {axis}", [shape], lambda x, a=axis: softmax(x, a))
    case("softmax", f"log_softmax {axis}", [shape], lambda x, a=axis: log_softmax(x, a))
    case("softmax", f"layer_norm {axis}", [shape], lambda x, a=axis: layer_norm(x, a))
case("softmax", "layer_norm 1 wide", [(3, 5)], lambda x: layer_norm(x, 1), WIDE)
case("softmax", "softmax 1 wide", [(3, 5)], lambda x: softmax(x, 1), WIDE)
case("softmax", "log_softmax 1 wide", [(3, 5)], lambda x: log_softmax(x, 1), WIDE)
case("softmax", "logsumexp_axis 1 wide", [(3, 5)], lambda x: jax.nn.logsumexp(x, axis=1), WIDE)

# --- products and norms -----------------------------------------------------------------------


def norm(p):
    def f(x, axis, keepdims):
        size = jnp.abs(x)
        if abs(p) == np.inf:
            largest = jnp.max if p > 0 else jnp.min
            return largest(size, axis=axis, keepdims=keepdims)
        return jnp.sum(size**p, axis=axis, keepdims=keepdims) ** (1.0 / p)

    return f


def prod(x, axis, keepdims):
    # Of positive numbers: as a sum, so that the gradient is not JAX's own rule for products.
    return jnp.exp(jnp.sum(jnp.log(x), axis=axis, keepdims=keepdims))


for shape in [(5,), (3, 4), (2, 3, 2, 2), ()]:
    case("norm", "prod", [shape], lambda x: prod(x, None, False), POSITIVE)
for shape, axis in [((5,), 0), ((3, 4), 0), ((2, 3, 4), 0), ((3, 4), 1), ((2, 3, 4), 1), ((3, 1), 1)]:
    case("norm", f"prod_axis {axis}", [shape], lambda x, a=axis: prod(x, a, False), POSITIVE)
case("norm", "prod", [(0, 3)], lambda x: prod(x, None, False))
for axis in (0, 1):
    case("norm", f"prod_axis {axis}", [(0, 3)], lambda x, a=axis: prod(x, a, False))
for shape in [(3, 4), (2, 3, 4)]:
    case("norm", "prod_keepdim 1", [shape], lambda x: prod(x, 1, True), POSITIVE)
    case("norm", "norm_keepdim 1(2)", [shape], lambda x: norm(2.0)(x, 1, True), NONZERO)
for shape in [(37,), (3, 4), ()]:
    case("norm", "norm(2)", [shape], lambda x: norm(2.0)(x, None, False), NONZERO)
for shape, axis in [((5,), 0), ((37, 3), 0), ((3, 4), 1), ((2, 3, 4), 1), ((3, 1), 1), ((0, 3), 1)]:
    case("norm", f"norm_axis {axis}(2)", [shape], lambda x, a=axis: norm(2.0)(x, a, False), NONZERO)
for label, p, domain, shapes in [
    ("1", 1.0, NONZERO, [(3, 4), (2, 3, 4)]),
    ("3", 3.0, NONZERO, [(3, 4), (2, 3, 4)]),
    ("0.5", 0.5, NONZERO, [(3, 4)]),
    ("-2", -2.0, NONZERO, [(3, 4)]),
    ("inf", np.inf, DISTINCT, [(3, 4), (2, 3, 4)]),
    ("-inf", -np.inf, DISTINCT, [(3, 4)]),
]:
    for shape in shapes:
        case("norm", f"norm_axis 1({label})", [shape], lambda x, p=p: norm(p)(x, 1, False), domain)

# --- scans ------------------------------------------------------------------------------------


def upto(n):
    """A lower triangle of ones: what each position of a scan sees."""
    return np.tril(np.ones((n, n)))


def along(axis, f):
    """`f` on the last axis, made to work on `axis`."""
    return lambda x: jnp.moveaxis(f(jnp.moveaxis(x, axis, -1)), -1, axis)


def cumsum(x):
    return jnp.sum(x[..., None, :] * upto(x.shape[-1]), axis=-1)


def cumprod(x):
    return jnp.prod(jnp.where(upto(x.shape[-1]) > 0, x[..., None, :], 1.0), axis=-1)


def logcumsumexp(x):
    seen = upto(x.shape[-1]) > 0
    shift = jax.lax.stop_gradient(jnp.max(jnp.where(seen, x[..., None, :], -1e9), axis=-1, keepdims=True, initial=-1e9))
    terms = jnp.where(seen, jnp.exp(jnp.where(seen, x[..., None, :] - shift, 0.0)), 0.0)
    return jnp.log(jnp.sum(terms, axis=-1)) + shift[..., 0]


def cummax(x):
    return jnp.max(jnp.where(upto(x.shape[-1]) > 0, x[..., None, :], -1e9), axis=-1, initial=-1e9)


def cummin(x):
    return -cummax(-x)


SCANS = [
    ("cumsum", cumsum, ANY, 37),
    ("cumprod", cumprod, NONZERO, 7),
    ("logcumsumexp", logcumsumexp, ANY, 37),
    ("cummax", cummax, DISTINCT, 37),
    ("cummin", cummin, DISTINCT, 37),
]
for op, f, domain, long in SCANS:
    extreme = op in ("cummax", "cummin")
    for shape in [(5,), (long,), (1,), (3, 4), (long, 3)] + ([] if extreme else [(2, 3, 4)]):
        case("scan", f"{op} 0", [shape], along(0, f), domain)
    for shape in [(3, 4), (3, long), (2, 3, 4), (0, 3), (3, 0)] + ([] if extreme else [(3, 1), (2, 2, 3, 2)]):
        case("scan", f"{op} 1", [shape], along(1, f), domain)
    if not extreme:
        case("scan", f"{op} 2", [(2, 3, 4)], along(2, f), domain)
case("scan", "logcumsumexp 1 wide", [(3, 5)], along(1, logcumsumexp), WIDE)


def stands(f, axis):
    """Where the running extreme stands, as one-hot vectors along a new last axis."""

    def at(x):
        best = jnp.moveaxis(f(jnp.moveaxis(x, axis, -1)), -1, axis)
        # One element for each position on the line, along the last axis.
        line = jnp.moveaxis(x, axis, -1)
        line = jnp.expand_dims(line, axis)
        return (best[..., None] == line) * 1.0

    return at


case("scan", "cummax 1 at", [(3, 4), (3, 4, 4)], lambda x, w: w * stands(cummax, 1)(x), DISTINCT, cut=(0,))
case("scan", "cummin 0 at", [(3, 4), (3, 4, 3)], lambda x, w: w * stands(cummin, 0)(x), DISTINCT, cut=(0,))

# --- matrix products --------------------------------------------------------------------------


def product(a, b):
    """A matrix product as multiply and sum, so that no library's batching rule is trusted."""
    left, right = a.ndim == 1, b.ndim == 1
    a = a[None, :] if left else a
    b = b[:, None] if right else b
    y = jnp.sum(a[..., :, :, None] * b[..., None, :, :], axis=-2)
    y = y[..., 0] if right else y
    return (y[..., 0] if right else y[..., 0, :]) if left else y


MATMULS = [
    ((5,), (5,)),
    ((37,), (37,)),
    ((1,), (1,)),
    ((3, 5), (5,)),
    ((5,), (5, 4)),
    ((3, 5), (5, 4)),
    ((1, 5), (5, 1)),
    ((5, 1), (1, 5)),
    ((1, 1), (1, 1)),
    ((19, 37), (37, 9)),
    ((2, 3, 5), (2, 5, 4)),
    ((2, 3, 5), (5, 4)),
    ((3, 5), (2, 5, 4)),
    ((1, 3, 5), (4, 5, 2)),
    ((4, 3, 5), (1, 5, 2)),
    ((2, 1, 3, 4), (3, 4, 2)),
    ((3, 1, 4), (2, 3, 4, 2)),
    ((2, 2, 3, 4), (2, 2, 4, 3)),
    ((2, 1, 2, 3), (1, 4, 3, 2)),
    ((1, 2, 1, 2, 3, 2), (2, 1, 2, 2)),
    ((2, 3, 5), (5,)),
    ((5,), (2, 5, 4)),
    ((2, 3, 2, 5), (5,)),
    ((5,), (2, 3, 5, 2)),
    ((3, 0), (0, 4)),
    ((0, 3), (3, 4)),
    ((0, 2, 3), (3, 4)),
    ((2, 3), (0, 3, 4)),
]
for a, b in MATMULS:
    case("matmul", "matmul", [a, b], product)
for a, b in [
    ((5,), (4, 5)),
    ((3, 5), (4, 5)),
    ((1, 5), (1, 5)),
    ((3, 37), (9, 37)),
    ((2, 3, 5), (4, 5)),
    ((2, 2, 3, 5), (4, 5)),
    ((2, 1, 2, 1, 3, 2), (4, 2)),
    ((0, 5), (4, 5)),
    ((3, 0), (4, 0)),
    ((2, 3, 5), (2, 4, 5)),
    ((3, 5), (2, 4, 5)),
    ((5,), (2, 4, 5)),
    ((1, 3, 5), (2, 4, 5)),
    ((2, 3, 5), (1, 4, 5)),
    ((2, 1, 2, 3), (1, 4, 5, 3)),
    ((2, 9, 37), (2, 19, 37)),
    ((2, 3, 0), (2, 4, 0)),
]:
    case("matmul", "matmul_t", [a, b], lambda a, b: product(a, jnp.swapaxes(b, -1, -2)))
for x, w in [
    ((5,), (4, 5)),
    ((3, 5), (4, 5)),
    ((1, 5), (1, 5)),
    ((32, 16), (1, 16)),
    ((3, 37), (9, 37)),
    ((2, 3, 5), (4, 5)),
    ((2, 1, 2, 1, 3, 2), (4, 2)),
    ((0, 5), (4, 5)),
    ((3, 0), (4, 0)),
    ((3, 2), (0, 2)),
]:
    case("matmul", "linear", [x, w, w[:1]], lambda x, w, b: product(x, jnp.swapaxes(w, -1, -2)) + b)
for a, b in [
    ((5, 3), (5, 4)),
    ((1, 3), (1, 4)),
    ((5, 1), (5, 1)),
    ((37, 19), (37, 9)),
    ((2, 5, 3), (2, 5, 4)),
    ((2, 5, 3), (5, 4)),
    ((5, 3), (2, 5, 4)),
    ((1, 5, 3), (2, 5, 4)),
    ((2, 1, 5, 3), (1, 4, 5, 2)),
    ((0, 3), (0, 4)),
    ((2, 5, 3), (2, 5, 0)),
]:
    case("matmul", "t_matmul", [a, b], lambda a, b: product(jnp.swapaxes(a, -1, -2), b))
for n in [5, 37, 1, 0]:
    case("matmul", "dot", [(n,), (n,)], lambda a, b: jnp.sum(a * b))
for m, n in [(5, 3), (1, 4), (19, 37), (0, 3)]:
    case("matmul", "outer", [(m,), (n,)], lambda a, b: a[:, None] * b[None, :])
for a in [(3, 3), (1, 1), (2, 4, 4), (2, 1, 3, 2, 2), (0, 0), (0, 3, 3)]:
    case("matmul", "trace", [a], lambda x: jnp.sum(x * jnp.eye(x.shape[-1]), axis=(-1, -2)))
for a in [(3,), (1,), (2, 4), (2, 1, 3, 2), (0,), (2, 0)]:
    case("matmul", "diag", [a], lambda x: x[..., None] * jnp.eye(x.shape[-1]))

# --- einsum -----------------------------------------------------------------------------------


def einsum(subscripts, *shapes):
    """As products of all operands, stretched to all labels, and one sum: no library's order is trusted."""
    operands, result = subscripts.split("->")
    operands = operands.split(",")
    labels = sorted(set("".join(operands)))
    alone = [label for label in labels if label not in result]

    def f(*xs):
        total = 1.0
        for x, names in zip(xs, operands):
            own = list(names)
            # A label that stands twice: the product with an identity, summed over the second.
            while len(set(own)) < len(own):
                i = next(i for i, name in enumerate(own) if own.index(name) < i)
                j = own.index(own[i])
                x = jnp.moveaxis(x, (j, i), (-2, -1))
                x = jnp.sum(x * jnp.eye(x.shape[-1]), axis=-1)
                own = [name for k, name in enumerate(own) if k not in (i, j)] + [own[i]]
            x = jnp.transpose(x, np.argsort(own)) if own else x
            total = total * x.reshape([x.shape[sorted(own).index(n)] if n in own else 1 for n in labels])
        total = jnp.sum(total, axis=tuple(labels.index(n) for n in alone))
        kept = [n for n in labels if n in result]
        return jnp.transpose(total, [kept.index(n) for n in result])

    case("einsum", f"einsum {subscripts}", list(shapes), f)


for a in [(3, 4), (0, 3), (1, 1)]:
    einsum("ij->", a)
for a in [(2, 3, 4), (2, 3, 0), (2, 0, 4)]:
    einsum("ijk->j", a)
for a in [(3, 3), (1, 1), (0, 0)]:
    einsum("ii->i", a)
for a, b in [((3, 4), (4, 2)), ((19, 37), (37, 9)), ((1, 4), (4, 1)), ((3, 0), (0, 2)), ((0, 4), (4, 2))]:
    einsum("ij,jk->ik", a, b)
for subscripts, *shapes in [
    ("ij->ij", (3, 4)),
    ("ijk->kij", (2, 3, 4)),
    ("ijk->ki", (2, 3, 4)),
    ("ii->", (3, 3)),
    ("iji->ji", (3, 2, 3)),
    ("iii->i", (3, 3, 3)),
    ("->", ()),
    (",->", (), ()),
    ("i,->i", (3,), ()),
    ("i,i->", (5,), (5,)),
    ("i,i->i", (5,), (5,)),
    ("i,j->ij", (3,), (4,)),
    ("i,j->ji", (3,), (4,)),
    ("ij,j->i", (3, 4), (4,)),
    ("ij,jk->ki", (3, 4), (4, 2)),
    ("ij,kj->ik", (3, 4), (2, 4)),
    ("ji,jk->ik", (4, 3), (4, 2)),
    ("ji,kj->ik", (4, 3), (2, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bij,bkj->bik", (2, 3, 4), (2, 5, 4)),
    ("ibj,jkb->kbi", (3, 2, 4), (4, 5, 2)),
    ("bihd,bjhd->bhij", (2, 3, 2, 4), (2, 5, 2, 4)),
    ("ijkl,lkm->mij", (2, 3, 2, 4), (4, 2, 3)),
    ("ij,k->k", (3, 4), (2,)),
    ("ijk,lk->i", (2, 3, 4), (5, 4)),
    ("ik,k->", (0, 4), (4,)),
    ("iij,jk->ik", (3, 3, 4), (4, 2)),
    ("ij,kjk->ik", (3, 4), (2, 4, 2)),
    ("ii,ii->", (3, 3), (3, 3)),
    ("i,ij,j->", (3,), (3, 4), (4,)),
    ("bi,ij,bj->b", (2, 3), (3, 4), (2, 4)),
    ("ij,jk,kl->li", (2, 3), (3, 4), (4, 5)),
    ("ir,jr,kr->ijk", (2, 3), (4, 3), (5, 3)),
    ("i,j,k->", (2,), (3,), (4,)),
]:
    einsum(subscripts, *shapes)
case("einsum", "einsum same", [(3, 4)], lambda x: product(x, x.T))
for a, b, i, j in [
    ((3, 4), (4, 2), 1, 0),
    ((2, 3), (3, 4, 5), 1, 0),
    ((3, 1), (1, 2), 1, 0),
    ((2, 0), (0, 3), 1, 0),
    ((2, 3, 4), (5, 3), 1, 1),
    ((3, 2, 2), (2, 4, 3, 1), 0, 2),
    ((5,), (5,), 0, 0),
]:

    def tensordot(x, y, i=i, j=j):
        x, y = jnp.moveaxis(x, i, -1), jnp.moveaxis(y, j, -1)
        return jnp.sum(x[(..., *[None] * (y.ndim - 1), slice(None))] * y, axis=-1)

    case("einsum", f"tensordot ({i}, {j})", [a, b], tensordot)

# --- attention --------------------------------------------------------------------------------


def attention(q, k, v, bias=0.0, mask=True, causal=False):
    scores = product(q, jnp.swapaxes(k, -1, -2)) / np.sqrt(q.shape[-1]) + bias
    seen = np.broadcast_to(mask, scores.shape)
    if causal:
        seen = seen & (np.arange(scores.shape[-1])[None, :] <= np.arange(scores.shape[-2])[:, None])
    # Inputs are small: no shift is needed, and none can hide a fault.
    weights = jnp.where(seen, jnp.exp(scores), 0.0)
    total = jnp.sum(weights, axis=-1, keepdims=True)
    return product(weights / jnp.where(total == 0.0, 1.0, total), v)


def heads(q, k, width, values, batch=()):
    return [(*batch, q, width), (*batch, k, width), (*batch, k, values)]


ALLOWED = np.array([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0], [1, 0, 1, 1, 1]], bool)
PADDING = np.array([[[1, 1, 1, 0, 0]], [[1, 0, 1, 1, 1]]], bool)
for shapes in [
    heads(3, 5, 4, 2),
    heads(3, 5, 4, 3, (2,)),
    heads(2, 4, 3, 2, (2, 1, 3)),
    heads(1, 1, 1, 1),
    heads(0, 5, 4, 2),
    heads(3, 0, 4, 2),
    heads(3, 5, 4, 0),
]:
    case("attention", "attention", shapes, attention)
for shapes in [heads(4, 4, 3, 2, (2,)), heads(3, 5, 3, 2), heads(5, 2, 3, 2)]:
    case("attention", "attention causal", shapes, lambda q, k, v: attention(q, k, v, causal=True))
for batch in [(), (2,)]:
    case("attention", "attention masked", heads(3, 5, 4, 2, batch), lambda q, k, v: attention(q, k, v, mask=ALLOWED))
case("attention", "attention padded", heads(3, 5, 4, 2, (2,)), lambda q, k, v: attention(q, k, v, mask=PADDING))
case(
    "attention",
    "attention masked causal",
    heads(3, 5, 4, 2),
    lambda q, k, v: attention(q, k, v, mask=ALLOWED, causal=True),
)
for batch, bias, causal in [((), (3, 5), False), ((2,), (5,), True), ((2, 2), (2, 1, 1, 5), False), ((2,), (2, 3, 5), True)]:
    case(
        "attention",
        "attention biased",
        [*heads(3, 5, 4, 2, batch), bias],
        lambda q, k, v, b, causal=causal: attention(q, k, v, bias=b, causal=causal),
    )

# --- layout ------------------------------------------------------------------------------------


def shaped(s):
    return "(" + ", ".join(map(str, s)) + ")"


for a, b in [
    ((3, 4), (2, 6)),
    ((12,), (3, 4)),
    ((2, 3, 2), (12,)),
    ((2, 3, 2), (3, 1, 4)),
    ((), (1,)),
    ((1, 1), ()),
    ((0, 3), (0, 5)),
    ((2, 2, 2, 2, 2, 1), (4, 8)),
]:
    case("layout", f"reshape {shaped(b)}", [a], lambda x, b=b: x.reshape(b))
for a in [(2, 3, 2), (5,), (), (3, 1, 2, 2)]:
    case("layout", "flatten", [a], lambda x: x.ravel())
for a, axes in [
    ((2, 3), (1, 0)),
    ((2, 3), (0, 1)),
    ((2, 3, 4), (2, 0, 1)),
    ((2, 3, 4), (1, 0, 2)),
    ((2, 3, 4), (0, 2, 1)),
    ((2, 3, 4), (1, 2, 0)),
    ((2, 3, 1, 4), (3, 1, 0, 2)),
    ((2, 3, 2, 4), (0, 2, 1, 3)),
    ((2, 1, 3, 2, 2), (4, 2, 0, 3, 1)),
    ((2, 1, 3, 2, 1, 2), (5, 3, 1, 0, 2, 4)),
]:
    case("layout", f"permute {shaped(axes)}", [a], lambda x, p=axes: jnp.transpose(x, p))
for a, i, j in [
    ((3, 4), 0, 1),
    ((2, 3, 4), 0, 2),
    ((2, 3, 4), 2, 1),
    ((2, 3, 4), 0, 0),
    ((2, 3, 4, 2), 1, 3),
    ((2, 3, 2, 1, 2), 0, 4),
    ((2, 3, 2, 1, 2, 2), 4, 1),
]:
    case("layout", f"transpose ({i}, {j})", [a], lambda x, i=i, j=j: jnp.swapaxes(x, i, j))
for a in [(3, 4), (1, 5), (2, 3, 4), (2, 2, 3, 5), (9, 37), (0, 3)]:
    case("layout", "t", [a], lambda x: jnp.swapaxes(x, -1, -2))
for a, axis in [((3, 1, 4), 1), ((1,), 0), ((1, 1), 0), ((2, 3, 1), 2)]:
    case("layout", f"squeeze {axis}", [a], lambda x, i=axis: jnp.squeeze(x, i))
for a, axis in [((3, 4), 0), ((3, 4), 1), ((3, 4), 2), ((), 0), ((2, 3, 2), 3)]:
    case("layout", f"unsqueeze {axis}", [a], lambda x, i=axis: jnp.expand_dims(x, i))
for a, b in [
    ((4,), (3, 4)),
    ((), (2, 3)),
    ((3, 1), (3, 5)),
    ((1, 1), (3, 4)),
    ((3, 4), (3, 4)),
    ((2, 1, 3), (4, 2, 5, 3)),
    ((1, 3), (0, 3)),
]:
    case("layout", f"broadcast_to {shaped(b)}", [a], lambda x, b=b: jnp.broadcast_to(x, b))
case("layout", "fixed 1", [(3, 1)], lambda x: x)
case("layout", "fixed 0 stretch 0", [(1, 3)], lambda x: x)

# --- joining and cutting ------------------------------------------------------------------------


def cat(axis, *picks):
    """Joins the arguments, or those of them that `picks` numbers."""
    return lambda *xs: jnp.concatenate([xs[i] for i in picks] if picks else xs, axis)


def layers(axis, *picks):
    return lambda *xs: jnp.stack([xs[i] for i in picks] if picks else xs, axis)


for axis, shapes in [
    (0, [(2,), (3,)]),
    (0, [(2, 3), (4, 3)]),
    (0, [(1, 3), (1, 3)]),
    (0, [(0, 3), (2, 3)]),
    (0, [(2, 0), (3, 0)]),
    (0, [(2, 2, 3), (1, 2, 3)]),
    (0, [(1,), (1,)]),
    (1, [(2, 3), (2, 4)]),
    (1, [(2, 1), (2, 3)]),
    (1, [(2, 3), (2, 0)]),
    (1, [(2, 3, 2), (2, 1, 2)]),
    (1, [(0, 3), (0, 2)]),
    (1, [(2, 3, 1, 2, 2), (2, 2, 1, 2, 2)]),
    (2, [(2, 3, 2), (2, 3, 3)]),
    (2, [(1, 2, 1, 2, 1, 2), (1, 2, 3, 2, 1, 2)]),
    (5, [(1, 2, 1, 2, 1, 2), (1, 2, 1, 2, 1, 3)]),
    (1, [(2, 3), (2, 1), (2, 2)]),
    (0, [(2, 2), (1, 2), (0, 2), (3, 2)]),
]:
    case("cut", f"concat {axis}", shapes, cat(axis))
for shapes in [[(2, 3), (2, 4)], [(2, 6), (2, 1)]]:
    case("cut", "concat_as 1", shapes, cat(1))
for picks in [(0, 1, 0, 0, 1), (0, 1, 0, 0, 1, 1), (1, 0, 1, 0, 0, 1, 1), (1, 1, 0, 1, 0, 0, 1, 1)]:
    case("cut", f"concat 1, {len(picks)} parts", [(2, 2), (2, 3)], cat(1, *picks))
    case("cut", f"stack {int(len(picks) > 5)}, {len(picks)} parts", [(2,), (2,)], layers(int(len(picks) > 5), *picks))
for label, f in [
    ("concat 0, array", cat(0, 0, 1, 0)),
    ("concat 1, array", cat(1, 0, 1, 1, 0)),
    ("concat_as 0, array", cat(0, 0, 1, 0)),
    ("stack 1, array", layers(1, 0, 1, 0)),
]:
    case("cut", label, [(2, 2), (2, 2)], f)
case("cut", "concat 0, by value", [(2,), (3,)], lambda a, b: jnp.concatenate([a, b * 2.0]))
for axis, shapes in [
    *[(0, [s, s]) for s in [(), (3,), (2, 3), (0, 3), (1, 2, 1, 3, 2)]],
    *[(1, [s, s]) for s in [(3,), (2, 3), (1, 2, 1, 3, 2)]],
    *[(2, [s, s]) for s in [(2, 3), (2, 3, 2)]],
    (5, [(1, 2, 1, 3, 2)] * 2),
    (1, [(2, 3)] * 3),
    (0, [(2,)] * 4),
]:
    case("cut", f"stack {axis}", shapes, layers(axis))


def along(axis, part):
    """Indexes axis `axis` by a slice or a number."""
    return lambda x: x[(slice(None),) * axis + (part,)]


for axis, start, size, shapes in [
    (0, 1, 2, [(3,), (4, 3), (4, 2, 3), (3, 0)]),
    (1, 1, 2, [(2, 3), (1, 4), (2, 4, 3), (2, 3, 1, 2, 2)]),
    (2, 0, 1, [(2, 3, 2), (2, 3, 1), (1, 1, 3, 2)]),
    (1, 3, 0, [(2, 3)]),
    (5, 2, 2, [(1, 2, 1, 1, 2, 4)]),
]:
    for shape in shapes:
        case("cut", f"narrow {axis} ({start}, {size})", [shape], along(axis, slice(start, start + size)))
for label, shapes in [("narrow_as", [(2, 3), (1, 4)]), ("narrow_at", [(2, 3), (2, 4, 3)])]:
    for shape in shapes:
        case("cut", f"{label} 1 (1, 2)", [shape], along(1, slice(1, 3)))
case("cut", "narrow twice", [(6, 2)], lambda x: x[2:4] * x[2:4])
case("cut", "narrow of a product", [(4, 2)], lambda x: (x * x)[1:3])
for label, axis, i, shapes in [
    ("select", 0, 1, [(3,), (2, 3), (2, 2, 3), (2, 0)]),
    ("select", 1, 2, [(2, 3), (2, 4, 3), (0, 3), (1, 3)]),
    ("select", 2, 0, [(2, 3, 2), (2, 3, 1, 2, 1, 2)]),
    ("select_as", 1, 2, [(2, 3)]),
    ("select_at", 1, 2, [(2, 3)]),
]:
    for shape in shapes:
        case("cut", f"{label} {axis} {i}", [shape], along(axis, i))
for shape in [(5,), (5, 2)]:
    case("cut", "split 0", [shape], lambda x: jnp.concatenate([x[2:] * 2.0, x[:2]]))
for shape in [(2, 6), (2, 6, 2)]:
    case("cut", "split 1", [shape], lambda x: jnp.concatenate([x[:, 5:] * 2.0, x[:, :3], x[:, 3:5] * 3.0], 1))
case(
    "cut",
    "split_as 1, 8 parts",
    [(2, 8)],
    lambda x: (x[:, 0] * x[:, 1] + x[:, 2] * x[:, 3] - x[:, 4] * x[:, 5] * x[:, 6] * x[:, 7])[:, None],
)
case("cut", "split, one part", [(2, 6)], lambda x: x[:, 4:])
for label, axis, shapes in [("chunk", 0, [(6,), (3, 2)]), ("chunk", 1, [(2, 6), (2, 3, 2)]), ("chunk_as", 1, [(2, 6)])]:
    for shape in shapes:
        n = shape[axis] // 3
        case(
            "cut",
            f"{label} {axis}",
            [shape],
            lambda x, a=axis, n=n: along(a, slice(0, n))(x) * along(a, slice(n, 2 * n))(x) - along(a, slice(2 * n, 3 * n))(x),
        )

def padded(axis, before, after, mode, **value):
    return lambda x: jnp.pad(x, [(before, after) if i == axis else (0, 0) for i in range(x.ndim)], mode, **value)


for label, axis, before, after, mode, value, shapes in [
    ("pad", 0, 1, 2, "constant", 0.0, [(3,), (2, 3), (0, 3), (1, 2, 3)]),
    ("pad", 1, 2, 1, "constant", -1.5, [(2, 3), (2, 1), (2, 3, 2), (2, 0, 2), (1, 3, 1, 2, 2)]),
    ("pad", 1, 0, 0, "constant", -1.5, [(2, 3)]),
    ("pad_as", 1, 2, 1, "constant", -1.5, [(2, 3)]),
    ("pad_reflect", 0, 1, 2, "reflect", None, [(3,), (4, 3), (5, 0)]),
    ("pad_reflect", 1, 3, 1, "reflect", None, [(2, 4), (2, 5, 2), (1, 4, 1, 2, 2)]),
    ("pad_reflect", 0, 0, 0, "reflect", None, [(1,), (3,)]),
    ("pad_reflect_as", 1, 3, 1, "reflect", None, [(2, 4)]),
    ("pad_replicate", 0, 1, 2, "edge", None, [(3,), (1,), (4, 3), (5, 0)]),
    ("pad_replicate", 1, 3, 1, "edge", None, [(2, 4), (2, 1, 2), (1, 4, 1, 2, 2)]),
    ("pad_replicate_as", 1, 3, 1, "edge", None, [(2, 4)]),
]:
    for shape in shapes:
        values = {} if value is None else {"constant_values": value}
        case("cut", f"{label} {axis} ({before}, {after})", [shape], padded(axis, before, after, mode, **values))
for axis, shapes in [
    (0, [(5,), (1,), (3, 4), (0, 3), (2, 3, 2)]),
    (1, [(3, 4), (2, 3, 2), (2, 0), (1, 3, 1, 2, 1, 2)]),
]:
    for shape in shapes:
        case("cut", f"flip {axis}", [shape], lambda x, a=axis: jnp.flip(x, a))
for axis, shift, shapes in [
    (0, 1, [(5,), (1,), (3, 4), (0, 3)]),
    (1, -1, [(3, 4), (2, 3, 2), (2, 0)]),
    (1, 7, [(3, 4), (2, 3, 2)]),
    (0, -13, [(5,)]),
]:
    for shape in shapes:
        case("cut", f"roll {axis} {shift}", [shape], lambda x, a=axis, s=shift: jnp.roll(x, s, a))
for suffix, axis, count, shapes in [
    ("", 0, 3, [(3,), (1,), (2, 3), (0, 3)]),
    ("", 1, 2, [(2, 3), (2, 1), (2, 3, 2), (1, 3, 1, 2, 2)]),
    ("", 1, 0, [(2, 3)]),
    ("_as", 1, 2, [(2, 3)]),
]:
    for shape in shapes:
        case(
            "cut",
            f"tile{suffix} {axis} {count}",
            [shape],
            lambda x, a=axis, n=count: jnp.tile(x, [n if i == a else 1 for i in range(x.ndim)]),
        )
        case(
            "cut",
            f"repeat_interleave{suffix} {axis} {count}",
            [shape],
            lambda x, a=axis, n=count: jnp.repeat(x, n, a),
        )


def windows(axis, size, step):
    def f(x):
        count = (x.shape[axis] - size) // step + 1
        parts = [jnp.moveaxis(along(axis, slice(w * step, w * step + size))(x), axis, -1) for w in range(count)]
        return jnp.stack(parts, axis)

    return f


for label, axis, size, step, shapes in [
    ("unfold", 0, 3, 1, [(5,), (3,), (4, 2), (3, 0)]),
    ("unfold", 1, 3, 2, [(2, 7), (2, 8), (2, 5, 3), (1, 3, 1, 2, 2)]),
    ("unfold", 1, 2, 3, [(2, 7), (2, 8), (2, 5, 3)]),
    ("unfold_as", 1, 3, 2, [(2, 7)]),
]:
    for shape in shapes:
        case("cut", f"{label} {axis} ({size}, {step})", [shape], windows(axis, size, step))
MATRICES = [(3, 3), (2, 4), (4, 2), (2, 3, 3), (1, 2, 1, 2, 3, 2), (0, 3), (3, 0)]
for op, f in [("tril", jnp.tril), ("triu", jnp.triu)]:
    for k, shapes in [(0, MATRICES), (1, [(3, 3), (2, 4), (2, 3, 3)]), (-2, [(3, 3), (4, 2)])]:
        for shape in shapes:
            case("cut", f"{op} {k}", [shape], lambda x, f=f, k=k: f(x, k))
case("cut", "tril 0, by value", [(3, 3)], lambda x: jnp.exp(jnp.tril(2.0 * x)))
for shape in [*MATRICES, (1, 1)]:
    case("cut", "diagonal", [shape], lambda x: jnp.diagonal(x, axis1=-2, axis2=-1))
for label, k, shapes in [
    ("diagonal_above 1", 1, [(3, 3), (2, 4), (4, 2), (2, 3, 3), (1, 2, 1, 2, 3, 2), (0, 3), (3, 1)]),
    ("diagonal_above 2", 2, [(3, 5), (2, 4, 3)]),
    ("diagonal_above_as 2", 2, [(3, 5)]),
    ("diagonal_below 1", -1, [(3, 3), (2, 4), (4, 2), (2, 3, 3), (1, 2, 1, 2, 3, 2), (3, 0), (1, 3)]),
    ("diagonal_below_as 2", -2, [(5, 3)]),
]:
    for shape in shapes:
        case("cut", label, [shape], lambda x, k=k: jnp.diagonal(x, k, axis1=-2, axis2=-1))
for label, k, shapes in [
    ("diag_above 1", 1, [(3,), (1,), (2, 4), (0,), (2, 0)]),
    ("diag_above_as 2", 2, [(2, 3)]),
    ("diag_below 2", -2, [(3,), (1,), (2, 4), (0,), (2, 0)]),
    ("diag_below_as 1", -1, [(2, 3)]),
]:
    for shape in shapes:
        n = shape[-1]
        basis = np.zeros((n, n + abs(k), n + abs(k)))
        for i in range(n):
            basis[i, i + max(-k, 0), i + max(k, 0)] = 1.0
        case("cut", label, [shape], lambda x, basis=basis: jnp.tensordot(x, basis, 1))
case("cut", "diagonal_as", [(3, 2)], lambda x: jnp.diagonal(x))

# --- choosing and indexing ----------------------------------------------------------------------

for a, b, c, d in [
    ((3, 4), (3, 4), (3, 4), (3, 4)),
    ((3, 4), (4,), (3, 1), ()),
    ((3, 1), (1, 4), (4,), (3, 4)),
    ((37,), (37,), (37,), (1,)),
    ((), (), (), ()),
]:
    case("index", "select gt", [a, b, c, d], lambda a, b, c, d: jnp.where(a > b, c, d), DISTINCT, cut=(0, 1))
for label, f in [
    ("gt", lambda a, b: a > b),
    ("ge", lambda a, b: a >= b),
    ("lt", lambda a, b: a < b),
    ("le", lambda a, b: a <= b),
    ("eq", lambda a, b: a == b),
    ("ne", lambda a, b: a != b),
]:
    case("index", f"{label} to rows", [(3, 4), (4,), (3, 4)], lambda a, b, w, f=f: jnp.where(f(a, b), w, 0.0), DISTINCT, cut=(0, 1))
    case("index", f"{label} zero", [(3, 4), (3, 4)], lambda a, w, f=f: jnp.where(f(a, 0.0), w, 0.0), DISTINCT, cut=(0,))
case(
    "index",
    "masks combined",
    [(3, 4), (3, 4)],
    lambda a, w: jnp.where(~(a > 0.5) & ((a > -0.5) | (a < -1.0)), w, 2.0 * w),
    DISTINCT,
    cut=(0,),
)


def one_hot(index, classes):
    return (np.asarray(index)[..., None] == np.arange(classes)).astype(np.float64)


I4 = np.array([2, 0, 2, 4])
I23 = np.array([[0, 3, 1], [1, 1, 2]])
case("index", "one_hot 4 of 5", [(4, 5)], lambda w: w * one_hot(I4, 5))
case("index", "one_hot (2, 3) of 4", [(2, 3, 4)], lambda w: w * one_hot(I23, 4))
case("index", "one_hot () of 3", [(3,)], lambda w: w * one_hot(1, 3))
case("index", "embedding 4", [(5, 3)], lambda t: one_hot(I4, 5) @ t)
case("index", "embedding (2, 3)", [(4, 2)], lambda t: one_hot(I23, 4) @ t)
case("index", "embedding ()", [(3, 4)], lambda t: t[1])
case("index", "embedding 3 of one", [(1, 2)], lambda t: jnp.stack([t[0], t[0], t[0]]))
case("index", "gather 0", [(5,)], lambda x: one_hot([4, 0, 0, 3, 4, 4, 1], 5) @ x)
case("index", "gather 0", [(4, 3)], lambda x: jnp.einsum("ijk,kj->ij", one_hot(I23, 4), x))
case("index", "gather 1", [(2, 4)], lambda x: jnp.einsum("ijk,ik->ij", one_hot(I23, 4), x))
case(
    "index",
    "gather 1 of three",
    [(2, 3, 2)],
    lambda x: jnp.einsum("ajck,akc->ajc", one_hot([[[0, 2], [2, 2], [1, 0], [0, 2]], [[1, 1], [1, 0], [2, 2], [0, 0]]], 3), x),
)
case("index", "gather 2", [(1, 2, 3)], lambda x: jnp.einsum("abjk,abk->abj", one_hot([[[2, 2], [0, 1]]], 3), x))
for a, axis in [((3, 4), 0), ((3, 4), 1), ((2, 3, 4), 1)]:
    out = tuple(n for i, n in enumerate(a) if i != axis)
    size = a[axis]
    for label, f in [("argmax", jnp.argmax), ("argmin", jnp.argmin)]:
        case(
            "index",
            f"{label}_axis {axis}",
            [a, (*out, size)],
            lambda x, w, f=f, axis=axis, size=size: w * (f(x, axis=axis)[..., None] == jnp.arange(size)),
            DISTINCT,
            cut=(0,),
        )
for label, f in [("argmax", jnp.argmax), ("argmin", jnp.argmin)]:
    for a in [(5,), (3, 4)]:
        case("index", label, [a, ()], lambda x, w, f=f: w * f(x), DISTINCT, cut=(0,))
    case(
        "index",
        f"{label}_keepdim 1",
        [(3, 4), (3, 1, 4)],
        lambda x, w, f=f: w * (f(x, axis=1, keepdims=True)[..., None] == jnp.arange(4)),
        DISTINCT,
        cut=(0,),
    )

# --- losses -------------------------------------------------------------------------------------


def cross_entropy(index):
    def f(x):
        picked = jnp.sum(one_hot(index, x.shape[-1]) * log_softmax(x, -1))
        return -picked / np.asarray(index).size

    return f


case("loss", "cross_entropy 4", [(4, 5)], cross_entropy(I4))
case("loss", "cross_entropy 4 wide", [(4, 5)], cross_entropy(I4), WIDE)
case("loss", "cross_entropy (2, 3)", [(2, 3, 4)], cross_entropy(I23))
case("loss", "cross_entropy ()", [(3,)], cross_entropy(1))
case("loss", "cross_entropy 2", [(2, 37)], cross_entropy([36, 5]))
case("loss", "cross_entropy 3 of one", [(3, 1)], cross_entropy([0, 0, 0]))
for a in [(), (1,), (37,), (3, 4), (2, 3, 2, 2)]:
    case("loss", "mse", [a, a], lambda a, b: jnp.sum((a - b) * (a - b)) / a.size)
    case("loss", "mae", [a, a], lambda a, b: jnp.sum(jnp.abs(a - b)) / a.size, DISTINCT)



def each(family, label, shapes, losses, domains=ANY, suffix="", forms=("mean", "sum", "none")):
    """The three forms of a loss, from its losses."""
    if "mean" in forms:
        case(family, f"{label}{suffix}", shapes, lambda *x: jnp.sum(losses(*x)) / losses(*x).size, domains)
    if "sum" in forms:
        case(family, f"{label}_sum{suffix}", shapes, lambda *x: jnp.sum(losses(*x)), domains)
    if "none" in forms:
        case(family, f"{label}_none{suffix}", shapes, losses, domains)


def huber(a, b):
    d = jnp.abs(a - b)
    return jnp.where(d < 0.7, 0.5 * d * d, 0.7 * (d - 0.35))


def smooth_l1(a, b):
    d = jnp.abs(a - b)
    return jnp.where(d < 0.7, 0.5 * d * d / 0.7, d - 0.35)


def bce_with_logits(x, t, w=1.0):
    return w * t * softplus(-x) + (1.0 - t) * softplus(x)


PROBABILITY = Domain(0.15, 0.85)
OFF, NEAR_0 = Domain(-2.0, 2.0, (-0.7, 0.7)), Domain(-0.05, 0.05)
NOT_1, NEAR_1 = Domain(-2.0, 2.0, (1.0,)), Domain(0.97, 1.03)
SQUARE = [(3, 4), (3, 4)]
EMPTY = [(0, 3), (0, 3)]
for a in [(37,), (3, 4), (0, 3)]:
    case("loss", "mse_sum", [a, a], lambda a, b: jnp.sum((a - b) * (a - b)))
for a in [(), (37,), (3, 4), (0, 3)]:
    case("loss", "mse_none", [a, a], lambda a, b: (a - b) * (a - b))
for a in [(37,), (3, 4)]:
    case("loss", "mae_sum", [a, a], lambda a, b: jnp.sum(jnp.abs(a - b)), DISTINCT)
for a in [(), (3, 4)]:
    case("loss", "mae_none", [a, a], lambda a, b: jnp.abs(a - b), DISTINCT)
for label, losses, domains, suffix in [
    ("huber", huber, [OFF, NEAR_0], "(0.7)"),
    ("smooth_l1", smooth_l1, [OFF, NEAR_0], "(0.7)"),
    ("bce", lambda x, t: -t * jnp.log(x) - (1.0 - t) * jnp.log(1.0 - x), [PROBABILITY, PROBABILITY], ""),
    ("bce_with_logits", bce_with_logits, [FAR, PROBABILITY], ""),
    ("kl_div", lambda x, t: t * (jnp.log(t) - x), [ANY, PROBABILITY], ""),
    ("hinge", lambda x, t: jnp.where(t * x < 1.0, 1.0 - t * x, 0.0), [NOT_1, NEAR_1], ""),
]:
    each("loss", label, SQUARE, losses, domains, suffix)
    for a in [(), (37,)]:
        each("loss", label, [a, a], losses, domains, suffix, forms=("mean",))
    if label in ("huber", "bce"):
        each("loss", label, EMPTY, losses, domains, suffix, forms=("none",))
case("loss", "bce_with_logits wide", [(37,), (37,)], lambda x, t: jnp.mean(bce_with_logits(x, t)), [WIDE, PROBABILITY])
WEIGHTED = [FAR, PROBABILITY, POSITIVE]
each("loss", "bce_with_logits_weighted", [*SQUARE, (4,)], bce_with_logits, WEIGHTED, forms=("mean",))
each("loss", "bce_with_logits_weighted", [*SQUARE, (3, 1)], bce_with_logits, WEIGHTED, forms=("sum",))
each("loss", "bce_with_logits_weighted", [*SQUARE, ()], bce_with_logits, WEIGHTED, forms=("none",))
for a in [(3, 4), (5,)]:
    case("loss", "kl_div_batchmean", [a, a], lambda x, t: jnp.sum(t * (jnp.log(t) - x)) / x.shape[0], [ANY, PROBABILITY])


def picked(index):
    return lambda x: -jnp.sum(one_hot(index, x.shape[-1]) * log_softmax(x, -1), axis=-1)


each("loss", "cross_entropy", [(4, 5)], picked(I4), forms=("sum", "none"))
case("loss", "cross_entropy_none (2, 3)", [(2, 3, 4)], picked(I23))
CLASS_WEIGHTS = np.array([0.5, 1.0, 2.0, 0.25, 1.5])


def cross_entropy_with(x, weights=np.ones(5), smoothing=0.0, counts=np.ones(4)):
    """(1 - s) w_y l_y + s/C sum w l for each row that counts, and the sum of w_y over them."""
    l = -weights * log_softmax(x, -1)
    own = jnp.sum(one_hot(I4, 5) * l, axis=-1)
    losses = counts * ((1.0 - smoothing) * own + smoothing / 5 * jnp.sum(l, axis=-1))
    return losses, np.sum(counts * weights[I4])


SECOND = np.array([1.0, 0.0, 1.0, 1.0])
ALL = {"weights": CLASS_WEIGHTS, "smoothing": 0.1, "counts": SECOND}
for label, options in [
    ("nothing", {}),
    ("weights", {"weights": CLASS_WEIGHTS}),
    ("smoothing", {"smoothing": 0.1}),
    ("ignored", {"counts": SECOND}),
    ("all", ALL),
]:

    def mean(x, options=options):
        losses, weight = cross_entropy_with(x, **options)
        return jnp.sum(losses) / weight

    case("loss", f"cross_entropy_with {label}", [(4, 5)], mean)
case("loss", "cross_entropy_with_sum all", [(4, 5)], lambda x: jnp.sum(cross_entropy_with(x, **ALL)[0]))
case("loss", "cross_entropy_with_none all", [(4, 5)], lambda x: cross_entropy_with(x, **ALL)[0])
each("loss", "nll", [(4, 5)], lambda x: -jnp.sum(one_hot(I4, 5) * x, axis=-1))


def soft(x, t):
    return -jnp.sum(t * log_softmax(x, -1), axis=-1)


SOFT = [ANY, PROBABILITY]
each("loss", "cross_entropy_soft", [(4, 5), (4, 5)], soft, SOFT)
for a in [(5,), (2, 3, 4)]:
    each("loss", "cross_entropy_soft", [a, a], soft, SOFT, forms=("mean",))


def cosine(x, y, axis):
    length = lambda v: jnp.sqrt(jnp.sum(v * v, axis=axis))
    return jnp.sum(x * y, axis=axis) / (length(x) * length(y))


for a, axis in [((5,), 0), ((3, 4), 0), ((3, 4), 1), ((3, 37), 1), ((2, 3, 2), 1)]:
    case("loss", f"cosine_similarity {axis}", [a, a], lambda x, y, axis=axis: cosine(x, y, axis), NONZERO)


def cosine_embedding(x, y):
    c = cosine(x, y, 1)
    return jnp.where(SECOND == 0.0, 1.0 - c, jnp.maximum(c + 0.95, 0.0))


each("loss", "cosine_embedding", [(4, 5), (4, 5)], cosine_embedding, NONZERO)


def triplet_margin(a, p, n):
    distance = lambda d: jnp.sqrt(jnp.sum((d + 1e-6) ** 2, axis=-1))
    return jnp.maximum(distance(a - p) - distance(a - n) + 5.0, 0.0)


each("loss", "triplet_margin", [(3, 4)] * 3, triplet_margin, DISTINCT)

# --- convolutions -------------------------------------------------------------------------------

VALID, SAME = (1, 0, 1), "same"


def padding_of(way, k):
    """Zeros at either end; those that keep the size are one more at the end, if they are odd in number."""
    if way == SAME or way[0] == SAME:
        total = (1 if way == SAME else way[1]) * (k - 1)
        return (total // 2, total - total // 2)
    return (way[1], way[1])


def stride_of(way):
    return 1 if way == SAME or way[0] == SAME else way[0]


def dilation_of(way):
    return 1 if way == SAME else way[1] if way[0] == SAME else way[2]


def places(n, k, way):
    """How often a kernel of k fits n entries and their padding."""
    return (n + sum(padding_of(way, k)) - dilation_of(way) * (k - 1) - 1) // stride_of(way) + 1


def conv(x, w, *ways, groups=1):
    """y[n, o, i..] = sum of w[o, c, k..] x[n, c, i s + k d - p ..] over the channels c of o's group."""
    kernel = w.shape[2:]
    sizes = [places(n, k, way) for n, k, way in zip(x.shape[2:], kernel, ways)]
    x = jnp.pad(x, [(0, 0), (0, 0), *(padding_of(way, k) for way, k in zip(ways, kernel))])
    x = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    w = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    y = jnp.zeros((x.shape[0], groups, w.shape[1], *sizes))
    for at in np.ndindex(*kernel):
        under = x
        for axis, (i, size, way) in enumerate(zip(at, sizes, ways), 3):
            first, stride = i * dilation_of(way), stride_of(way)
            under = jax.lax.slice_in_dim(under, first, first + (size - 1) * stride + 1, stride, axis)
        y = y + jnp.einsum("ngc...,goc->ngo...", under, w[(..., *at)])
    return y.reshape(x.shape[0], groups * w.shape[1], *sizes)


for label, x, w, way, groups in [
    (" valid", (2, 3, 9), (4, 3, 4), VALID, 1),
    (" valid", (1, 1, 5), (1, 1, 5), VALID, 1),
    (" valid", (2, 3, 5), (2, 3, 1), VALID, 1),
    (" same", (2, 2, 7), (3, 2, 3), SAME, 1),
    (" same", (2, 2, 7), (3, 2, 4), SAME, 1),
    (" same", (1, 2, 2), (3, 2, 5), SAME, 1),
    (" same by 3", (2, 2, 7), (1, 2, 3), (SAME, 3), 1),
    (" same by 3", (2, 2, 7), (1, 2, 2), (SAME, 3), 1),
    ("(2)", (2, 3, 9), (4, 3, 4), (2, 0, 1), 1),
    ("(3, 2)", (2, 3, 8), (2, 3, 2), (3, 2, 1), 1),
    ("(2, 1, 2)", (2, 1, 2), (2, 1, 2), (2, 1, 2), 1),
    ("(2, 3, 3)", (1, 2, 11), (2, 2, 4), (2, 3, 3), 1),
    ("(1, 4)", (1, 2, 3), (2, 2, 3), (1, 4, 1), 1),
    (" valid in 2", (2, 4, 6), (6, 2, 3), VALID, 2),
    ("(2, 1, 2) in 3", (2, 3, 7), (6, 1, 2), (2, 1, 2), 3),
    (" valid", (0, 2, 4), (3, 2, 2), VALID, 1),
    (" valid", (2, 0, 4), (3, 0, 2), VALID, 1),
    (" valid", (2, 2, 4), (0, 2, 2), VALID, 1),
    ("(1, 1)", (2, 2, 0), (3, 2, 2), (1, 1, 1), 1),
]:
    case("conv", "conv1d" + label, [x, w], lambda x, w, way=way, g=groups: conv(x, w, way, groups=g))

for label, x, w, rows, columns, groups in [
    (" valid", (2, 3, 5, 6), (4, 3, 3, 2), VALID, VALID, 1),
    (" valid", (1, 1, 4, 3), (1, 1, 4, 3), VALID, VALID, 1),
    (" valid", (2, 3, 4, 3), (2, 3, 1, 1), VALID, VALID, 1),
    (" valid", (2, 2, 4, 3), (2, 2, 1, 3), VALID, VALID, 1),
    (" same", (2, 2, 4, 5), (2, 2, 3, 3), SAME, SAME, 1),
    (" same", (1, 2, 4, 3), (2, 2, 2, 4), SAME, SAME, 1),
    (" same by 2", (1, 2, 4, 5), (2, 2, 3, 2), (SAME, 2), (SAME, 2), 1),
    ("(2)", (2, 2, 5, 6), (3, 2, 3, 3), (2, 0, 1), (2, 0, 1), 1),
    ("(2)", (2, 3, 5, 6), (2, 3, 1, 1), (2, 0, 1), (2, 0, 1), 1),
    ("(1, 1)", (2, 3, 3, 2), (2, 3, 1, 1), (1, 1, 1), (1, 1, 1), 1),
    ("(2, 1)", (2, 3, 6, 7), (2, 3, 3, 3), (2, 1, 1), (2, 1, 1), 1),
    ("(3, 2, 2)", (1, 2, 7, 8), (2, 2, 3, 2), (3, 2, 2), (3, 2, 2), 1),
    ("((1, 1), (2, 0, 2))", (2, 2, 4, 7), (3, 2, 3, 2), (1, 1, 1), (2, 0, 2), 1),
    ("(same, valid)", (2, 2, 4, 5), (3, 2, 3, 2), SAME, VALID, 1),
    (" same in 2", (2, 4, 3, 4), (2, 2, 3, 3), SAME, SAME, 2),
    ("(2, 1) in 4", (2, 4, 4, 4), (4, 1, 3, 3), (2, 1, 1), (2, 1, 1), 4),
    ("(2, 1) in 3", (2, 3, 4, 4), (6, 1, 3, 2), (2, 1, 1), (2, 1, 1), 3),
    (" in 2, pairs", (1, 4, 4, 5), (2, 2, 2, 3), (2, 1, 1), (1, 1, 2), 2),
    (" valid", (0, 2, 4, 3), (3, 2, 2, 2), VALID, VALID, 1),
    (" valid", (2, 0, 4, 3), (3, 0, 2, 2), VALID, VALID, 1),
    (" valid", (2, 2, 4, 3), (0, 2, 2, 2), VALID, VALID, 1),
]:
    case(
        "conv",
        "conv2d" + label,
        [x, w],
        lambda x, w, r=rows, c=columns, g=groups: conv(x, w, r, c, groups=g),
    )


def conv_transpose(x, w, *ways, groups=1):
    """Each entry of x lays its multiple of the kernel over y, which is then cut: ways are (stride, padding, output
    padding, dilation)."""
    kernel = w.shape[2:]
    x = x.reshape(x.shape[0], groups, x.shape[1] // groups, *x.shape[2:])
    w = w.reshape(groups, w.shape[0] // groups, *w.shape[1:])
    sizes = [(n - 1) * s + d * (k - 1) + 1 + o for n, k, (s, p, o, d) in zip(x.shape[3:], kernel, ways)]
    y = jnp.zeros((x.shape[0], groups, w.shape[2], *sizes))
    for at in np.ndindex(*kernel):
        places = [slice(i * d, i * d + (n - 1) * s + 1, s) for i, n, (s, p, o, d) in zip(at, x.shape[3:], ways)]
        y = y.at[(..., *places)].add(jnp.einsum("ngc...,gco->ngo...", x, w[(..., *at)]))
    y = y[(..., *(slice(p, size - p) for size, (s, p, o, d) in zip(sizes, ways)))]
    return y.reshape(x.shape[0], groups * w.shape[2], *y.shape[3:])


for label, x, w, way, groups in [
    ("(1)", (2, 3, 5), (3, 4, 3), (1, 0, 0, 1), 1),
    ("(1)", (1, 1, 1), (1, 1, 4), (1, 0, 0, 1), 1),
    ("(1)", (2, 3, 4), (3, 2, 1), (1, 0, 0, 1), 1),
    ("(2)", (2, 2, 4), (2, 3, 3), (2, 0, 0, 1), 1),
    ("(3)", (2, 2, 4), (2, 3, 2), (3, 0, 0, 1), 1),
    ("(2, 1)", (2, 2, 5), (2, 3, 3), (2, 1, 0, 1), 1),
    ("(2, 1, 1)", (2, 2, 5), (2, 3, 3), (2, 1, 1, 1), 1),
    ("(1, 1, 1, 2)", (1, 2, 4), (2, 3, 3), (1, 1, 1, 2), 1),
    ("(2, 2, 1, 3)", (1, 2, 4), (2, 2, 3), (2, 2, 1, 3), 1),
    ("(3, 0, 2)", (2, 1, 3), (1, 2, 1), (3, 0, 2, 1), 1),
    ("(1, 2)", (1, 2, 6), (2, 2, 3), (1, 2, 0, 1), 1),
    ("(2, 1) in 2", (2, 4, 3), (4, 3, 3), (2, 1, 0, 1), 2),
    ("(2, 1, 1) in 3", (2, 3, 4), (3, 1, 2), (2, 1, 1, 1), 3),
    ("(1)", (0, 2, 4), (2, 3, 2), (1, 0, 0, 1), 1),
    ("(1)", (2, 0, 4), (0, 3, 2), (1, 0, 0, 1), 1),
    ("(1)", (2, 2, 4), (2, 0, 2), (1, 0, 0, 1), 1),
]:
    case(
        "conv",
        "conv_transpose1d" + label,
        [x, w],
        lambda x, w, way=way, g=groups: conv_transpose(x, w, way, groups=g),
    )

for label, x, w, rows, columns, groups in [
    ("(1)", (2, 3, 3, 4), (3, 2, 3, 2), (1, 0, 0, 1), (1, 0, 0, 1), 1),
    ("(1, 0, 0, 2)", (1, 1, 10, 10), (1, 1, 3, 3), (1, 0, 0, 2), (1, 0, 0, 2), 1),
    ("(1)", (2, 3, 4, 3), (3, 2, 1, 1), (1, 0, 0, 1), (1, 0, 0, 1), 1),
    ("(2, 1)", (2, 2, 3, 4), (2, 3, 4, 4), (2, 1, 0, 1), (2, 1, 0, 1), 1),
    ("(2, 1, 1)", (2, 2, 3, 4), (2, 2, 3, 3), (2, 1, 1, 1), (2, 1, 1, 1), 1),
    ("((2, 1, 1), (1, 0, 1, 2))", (2, 2, 3, 4), (2, 3, 3, 2), (2, 1, 1, 1), (1, 0, 1, 2), 1),
    ("(2) in 2", (2, 4, 3, 2), (4, 2, 2, 2), (2, 0, 0, 1), (2, 0, 0, 1), 2),
    ("(2, 1, 1) in 4", (1, 4, 3, 3), (4, 1, 3, 3), (2, 1, 1, 1), (2, 1, 1, 1), 4),
    ("(1)", (0, 2, 3, 3), (2, 3, 2, 2), (1, 0, 0, 1), (1, 0, 0, 1), 1),
]:
    case(
        "conv",
        "conv_transpose2d" + label,
        [x, w],
        lambda x, w, r=rows, c=columns, g=groups: conv_transpose(x, w, r, c, groups=g),
    )

# --- entries in order, and put in their places ----------------------------------------------------


def ordered(axis, kept=None, descending=False):
    """Each entry of the order is the one that as many others come before as its number says."""

    def f(x):
        line = jnp.moveaxis(x, axis, -1)
        before = (line[..., None, :] > line[..., :, None]) if descending else (line[..., None, :] < line[..., :, None])
        rank = jnp.sum(before, axis=-1)
        n = line.shape[-1] if kept is None else kept
        chosen = (rank[..., None, :] == np.arange(n)[:, None]) * 1.0
        return jnp.moveaxis(jnp.sum(chosen * line[..., None, :], axis=-1), -1, axis)

    return f


def stood(axis, kept=None, descending=False):
    """Where the entries of the order stood, as one-hot vectors along a new last axis."""

    def f(x):
        line = jnp.moveaxis(x, axis, -1)
        before = (line[..., None, :] > line[..., :, None]) if descending else (line[..., None, :] < line[..., :, None])
        rank = jnp.sum(before, axis=-1)
        n = line.shape[-1] if kept is None else kept
        chosen = (rank[..., None, :] == np.arange(n)[:, None]) * 1.0
        return jnp.moveaxis(chosen, -2, axis)

    return f


for shape in [(5,), (37,), (1,), (37, 3), (2, 3, 4)]:
    case("order", "sort 0", [shape], ordered(0), DISTINCT)
for shape in [(3, 4), (3, 37), (2, 3, 4), (3, 1), (0, 3), (3, 0)]:
    case("order", "sort 1", [shape], ordered(1), DISTINCT)
for shape in [(3, 4), (2, 3, 4)]:
    case("order", "sort_descending 1", [shape], ordered(1, descending=True), DISTINCT)
for shape in [(5,), (37,), (3, 4), (2, 3, 4)]:
    case("order", "topk 0 2", [shape], ordered(0, 2, True), DISTINCT)
for shape in [(3, 4), (3, 37), (2, 3, 4)]:
    case("order", "topk 1 3", [shape], ordered(1, 3, True), DISTINCT)
case("order", "topk 1 0", [(3, 4)], ordered(1, 0, True), DISTINCT)
for shape in [(3, 4), (3, 37)]:
    case("order", "topk_smallest 1 2", [shape], ordered(1, 2), DISTINCT)
case("order", "sort 1 at", [(3, 4), (3, 4, 4)], lambda x, w: w * stood(1)(x), DISTINCT, cut=(0,))
case("order", "argsort 0", [(3, 4), (3, 4, 3)], lambda x, w: w * stood(0)(x), DISTINCT, cut=(0,))
case("order", "argsort_descending 1", [(3, 4), (3, 4, 4)], lambda x, w: w * stood(1, None, True)(x), DISTINCT, cut=(0,))
case("order", "topk 1 2 at", [(3, 4), (3, 2, 4)], lambda x, w: w * stood(1, 2, True)(x), DISTINCT, cut=(0,))


def rows_of(axis):
    return lambda x: jnp.moveaxis(jnp.tensordot(one_hot(I4, 5), jnp.moveaxis(x, axis, 0), 1), 0, axis)


for shape in [(5,), (5, 3), (5, 2, 3)]:
    case("order", "index_select 0", [shape], rows_of(0))
for shape in [(2, 5), (2, 5, 3), (2, 5, 0)]:
    case("order", "index_select 1", [shape], rows_of(1))
case("order", "index_select 2", [(2, 2, 5)], rows_of(2))
case("order", "take 1", [(2, 5)], rows_of(1))
case("order", "embedding_padded 4", [(5, 3)], lambda t: one_hot(I4, 5) @ t)


def scattered(axis, index, adds):
    """Element by element, in row-major order of the source."""

    def f(x, src):
        out = [x[i] for i in np.ndindex(*x.shape)]
        for place in np.ndindex(*src.shape):
            to = list(place)
            to[axis] = int(index[place])
            at = int(np.ravel_multi_index(to, x.shape))
            out[at] = out[at] + src[place] if adds else src[place]
        return jnp.stack(out).reshape(x.shape)

    return f


I242 = np.array([0, 2, 2, 2, 1, 0, 0, 2, 1, 1, 1, 0, 2, 2, 0, 0]).reshape(2, 4, 2)
for op, adds in [("scatter", False), ("scatter_add", True)]:
    case("order", f"{op} 0", [(4, 3), (2, 3)], scattered(0, np.asarray(I23), adds))
    case("order", f"{op} 1", [(2, 4), (2, 3)], scattered(1, np.asarray(I23), adds))
    case("order", f"{op} 1", [(2, 3, 2), (2, 4, 2)], scattered(1, I242, adds))
case("order", "scatter_add 0", [(5,), (4,)], scattered(0, np.asarray(I4), True))



def added(axis, index, size):
    """Each entry of the source along the axis, at the place that the index names, by a matrix of ones."""
    def f(x, src):
        moved = jnp.tensordot(one_hot(index, size).T, jnp.moveaxis(src, axis, 0), 1)
        return x + jnp.moveaxis(moved, 0, axis)

    return f


for shape, source in [((5,), (4,)), ((5, 3), (4, 3))]:
    case("order", "index_add 0", [shape, source], added(0, I4, 5))
for shape, source in [((2, 5), (2, 4)), ((2, 5, 3), (2, 4, 3)), ((2, 5, 0), (2, 4, 0))]:
    case("order", "index_add 1", [shape, source], added(1, I4, 5))
case("order", "index_add 1 of one", [(2, 1), (2, 3)], added(1, [0, 0, 0], 1))

# --- several axes at once -------------------------------------------------------------------------


def var_over(correction):
    def f(x, axis, keepdims):
        n = np.prod([x.shape[a] for a in axis])
        d = x - jnp.mean(x, axis=axis, keepdims=True)
        return jnp.sum(d * d, axis=axis, keepdims=keepdims) / (n - correction)

    return f


def std_over(correction):
    return lambda x, axis, keepdims: jnp.sqrt(var_over(correction)(x, axis, keepdims))


REDUCE = {op + suffix: (f, domain) for op, f, domain, suffix in REDUCTIONS}
REDUCE |= {f"var({c})": (var_over(c), ANY) for c in (0, 1)}
REDUCE |= {f"std({c})": (std_over(c), ANY) for c in (0, 1)}
REDUCE |= {"prod": (prod, POSITIVE), "norm(2)": (norm(2.0), NONZERO), "norm(3)": (norm(3.0), NONZERO)}
for op, form, axis, shapes in [
    ("sum", "axes", (0, 2), [(2, 3, 4), (2, 3, 2, 2), (2, 0, 3), (0, 2, 3)]),
    ("sum", "axes", (1, 2), [(2, 3, 4), (2, 3, 2, 2)]),
    ("sum", "axes", (0, 1, 3), [(2, 3, 2, 2)]),
    ("sum", "axes", (1,), [(2, 3, 4)]),
    ("sum", "axes", (0, 1), [(3, 4)]),
    ("sum", "axes_keepdim", (0, 2), [(2, 3, 4), (2, 1, 3, 2, 2)]),
    ("mean", "axes", (0, 2), [(2, 3, 4), (2, 0, 3)]),
    ("mean", "axes_keepdim", (0, 2, 3), [(2, 3, 2, 2)]),
    ("var(1)", "axes", (0, 2), [(2, 3, 4), (2, 3, 2, 2)]),
    ("var(0)", "axes", (1, 2), [(2, 3, 4)]),
    ("var(0)", "axes_keepdim", (0, 2, 3), [(2, 3, 2, 2)]),
    ("std(0)", "axes", (0, 2), [(2, 3, 4)]),
    ("std(1)", "axes_keepdim", (0, 2), [(2, 3, 4)]),
    ("max", "axes", (0, 2), [(2, 3, 4), (2, 3, 2, 2)]),
    ("max", "axes_keepdim", (0, 2), [(2, 3, 4)]),
    ("min", "axes", (0, 2), [(2, 3, 4)]),
    ("min", "axes_keepdim", (1, 2), [(2, 3, 4)]),
    ("logsumexp", "axes", (0, 2), [(2, 3, 4)]),
    ("logsumexp", "axes_keepdim", (0, 2), [(2, 3, 4)]),
    ("prod", "axes", (0, 2), [(2, 3, 4)]),
    ("prod", "axes_keepdim", (0, 2), [(2, 3, 4)]),
    ("norm(3)", "axes", (0, 2), [(2, 3, 4)]),
    ("norm(2)", "axes_keepdim", (0, 2), [(2, 3, 4)]),
]:
    f, domain = REDUCE[op]
    word, _, rest = op.partition("(")
    label = f"{word}_{form} ({', '.join(map(str, axis))})" + (f"({rest}" if rest else "")
    for shape in shapes:
        case("axes", label, [shape], lambda x, f=f, a=axis, k=form == "axes_keepdim": f(x, a, k), domain)

# --- pooling and resampling -------------------------------------------------------------------------


def times_along(matrix, x, axis):
    """Each line of x along the axis times the matrix (out, in)."""
    return jnp.moveaxis(jnp.tensordot(x, matrix, ((axis,), (1,))), -1, axis)


def windows(n, k, stride, padding=0, dilation=1, ceil=False):
    """For each place of a window the entries under it that are no padding. The last may reach beyond the padding if
    `ceil`, and begins no later than the last entry."""
    ends = n + 2 * padding - dilation * (k - 1) if not ceil else n + padding
    starts = range(0, ends, stride)
    if ceil:
        # Not after the place whose window reaches the end of the padding.
        whole = [i for i, start in enumerate(starts) if start + dilation * (k - 1) + 1 >= n + 2 * padding]
        starts = starts[: min(whole) + 1] if whole else starts
    under = [[start + j * dilation - padding for j in range(k)] for start in starts]
    return [[at for at in place if 0 <= at < n] for place in under]


def max_pool(x, *pools):
    under = [windows(n, *pool) for n, pool in zip(x.shape[2:], pools)]
    best = [jnp.max(x[(..., *np.ix_(*place))], axis=range(2, x.ndim)) for place in itertools.product(*under)]
    return jnp.stack(best, axis=-1).reshape(*x.shape[:2], *map(len, under))


def means(n, k, stride, padding=0, inside=False, ceil=False):
    under = windows(n, k, stride, padding, ceil=ceil)
    matrix = np.zeros((len(under), n))
    for i, (row, place) in enumerate(zip(matrix, under)):
        # Entries of the axis and its padding, which only a window that reaches beyond them has fewer of.
        covered = min(k, n + 2 * padding - i * stride)
        row[place] = 1.0 / (len(place) if inside else covered)
    return matrix


def adaptive(n, out):
    matrix = np.zeros((out, n))
    for i, row in enumerate(matrix):
        start, end = i * n // out, -(-(i + 1) * n // out)
        row[start:end] = 1.0 / (end - start)
    return matrix


def nearest(n, out):
    return np.eye(n)[[i * n // out for i in range(out)]]


def linear(n, out, corners=False):
    """A hat of width 2 around each entry, taken at each place; outside lies the nearest entry."""
    if corners:
        at = np.arange(out) * (n - 1) / max(out - 1, 1)
    else:
        at = np.clip((np.arange(out) + 0.5) * n / out - 0.5, 0, n - 1)
    return np.maximum(0.0, 1.0 - np.abs(at[:, None] - np.arange(n)))


def matrices(*of):
    def f(x):
        for axis, matrix in enumerate(of, 2):
            x = times_along(matrix, x, axis)
        return x

    return f


for label, x, *pools in [
    ("1d(2)", (2, 3, 7), (2, 2)),
    ("1d(1)", (1, 2, 3), (1, 1)),
    ("1d(2, 3)", (2, 2, 8), (2, 3)),
    ("1d(2, 1, 1)", (2, 2, 4), (2, 1, 1)),
    ("1d(3, 2, 1)", (2, 2, 8), (3, 2, 1)),
    ("1d(3, 1, 1, 2)", (1, 2, 9), (3, 1, 1, 2)),
    ("2d(2)", (2, 2, 4, 5), (2, 2), (2, 2)),
    ("2d(3, 2, 1)", (2, 2, 5, 6), (3, 2, 1), (3, 2, 1)),
    ("2d(2, 1, 0, 2)", (1, 2, 4, 5), (2, 1, 0, 2), (2, 1, 0, 2)),
    ("2d((2), (3, 1, 1))", (2, 1, 4, 4), (2, 2), (3, 1, 1)),
    ("2d(2)", (0, 2, 4, 5), (2, 2), (2, 2)),
]:
    case("pool", "max_pool" + label, [x], lambda x, p=pools: max_pool(x, *p), DISTINCT)
for label, x, *pools in [
    ("1d ceil(2)", (2, 3, 7), (2, 2)),
    ("1d ceil(2)", (1, 2, 6), (2, 2)),
    ("1d ceil(3, 2, 1)", (2, 2, 6), (3, 2, 1)),
    ("1d ceil(3, 2)", (1, 2, 2), (3, 2)),
    ("1d ceil(2, 3, 1)", (1, 2, 5), (2, 3, 1)),
    ("1d ceil(2, 4, 1, 3)", (1, 2, 9), (2, 4, 1, 3)),
    ("2d ceil(3, 2)", (2, 2, 4, 6), (3, 2), (3, 2)),
    ("2d (ceil(2), (3, 2, 1))", (2, 1, 5, 6), (2, 2), (3, 2, 1)),
]:
    ceils = [True, "(ceil" not in label]
    case(
        "pool",
        "max_pool" + label,
        [x],
        lambda x, p=[(*p, *(0, 1)[len(p) - 2 :], c) for p, c in zip(pools, ceils)]: max_pool(x, *p),
        DISTINCT,
    )
case("pool", "global_max_pool2d", [(2, 3, 3, 2)], lambda x: jnp.max(x, axis=(2, 3)), DISTINCT)
for label, x, *pools in [
    ("1d(2)", (2, 3, 7), (2, 2)),
    ("1d(2, 3)", (2, 2, 8), (2, 3)),
    ("1d(3, 2, 1)", (2, 2, 8), (3, 2, 1)),
    ("1d inside(3, 2, 1)", (2, 2, 8), (3, 2, 1, True)),
    ("2d(2)", (2, 2, 4, 5), (2, 2), (2, 2)),
    ("2d(3, 2, 1)", (2, 2, 5, 6), (3, 2, 1), (3, 2, 1)),
    ("2d inside(3, 2, 1)", (2, 2, 5, 6), (3, 2, 1, True), (3, 2, 1, True)),
    ("2d((2), (3, 1, 1))", (2, 1, 4, 4), (2, 2), (3, 1, 1)),
    ("2d(2)", (2, 0, 4, 5), (2, 2), (2, 2)),
]:
    case("pool", "avg_pool" + label, [x], matrices(*(means(n, *p) for n, p in zip(x[2:], pools))))
for label, x, *pools in [
    ("1d ceil(2)", (2, 3, 7), (2, 2, 0, False, True)),
    ("1d ceil(3, 2, 1)", (2, 2, 6), (3, 2, 1, False, True)),
    ("1d inside ceil(3, 2, 1)", (2, 2, 6), (3, 2, 1, True, True)),
    ("1d inside ceil(3, 2, 1)", (1, 2, 7), (3, 2, 1, True, True)),
    ("1d ceil(3, 2)", (1, 2, 2), (3, 2, 0, False, True)),
    ("1d ceil(2, 3, 1)", (1, 2, 5), (2, 3, 1, False, True)),
    ("2d ceil(3, 2, 1)", (2, 2, 4, 6), (3, 2, 1, False, True), (3, 2, 1, False, True)),
    ("2d (ceil(2), inside(3, 2, 1))", (2, 1, 5, 6), (2, 2, 0, False, True), (3, 2, 1, True)),
]:
    case("pool", "avg_pool" + label, [x], matrices(*(means(n, *p) for n, p in zip(x[2:], pools))))
case("pool", "adaptive_avg_pool1d 3", [(2, 2, 7)], matrices(adaptive(7, 3)))
case("pool", "adaptive_avg_pool1d 5", [(1, 2, 3)], matrices(adaptive(3, 5)))
case("pool", "adaptive_avg_pool2d (2, 3)", [(2, 2, 5, 7)], matrices(adaptive(5, 2), adaptive(7, 3)))
case("pool", "adaptive_avg_pool2d (3, 1)", [(1, 2, 2, 4)], matrices(adaptive(2, 3), adaptive(4, 1)))
case("pool", "global_avg_pool2d", [(2, 3, 3, 2)], lambda x: jnp.mean(x, axis=(2, 3)))
for label, f in [("nearest2d", nearest), ("bilinear2d", linear)]:
    case("pool", f"upsample_{label} (4, 6)", [(2, 1, 2, 3)], matrices(f(2, 4), f(3, 6)))
case("pool", "upsample_nearest2d (5, 4)", [(1, 2, 3, 7)], matrices(nearest(3, 5), nearest(7, 4)))
case("pool", "upsample_bilinear2d (5, 3)", [(1, 2, 3, 7)], matrices(linear(3, 5), linear(7, 3)))
case("pool", "upsample_bilinear2d_corners (5, 7)", [(1, 2, 3, 4)], matrices(linear(3, 5, True), linear(4, 7, True)))
case("pool", "upsample_bilinear2d_corners (1, 2)", [(1, 2, 3, 1)], matrices(linear(3, 1, True), linear(1, 2, True)))

# --- the same tensor twice; values that are used again; operators that write in place --------------

case("reuse", "add same", [(3, 4)], lambda x: x + x)
case("reuse", "sub same", [(3, 4)], lambda x: x - x)
case("reuse", "mul same", [(3, 4)], lambda x: x * x)
# Its two gradients cancel exactly; JAX's leave a rounding error that would pass for a value.
case("reuse", "div same", [(3, 4)], lambda x: jnp.ones_like(x) + 0.0 * x, NONZERO)
case("reuse", "pow same", [(3, 4)], lambda x: x**x, POSITIVE)
case("reuse", "maximum same", [(3, 4)], lambda x: x)
case("reuse", "minimum same", [(3, 4)], lambda x: x)
case("reuse", "select same", [(3, 4)], lambda x: x)
case("reuse", "matmul same", [(3, 3)], lambda x: product(x, x))
case("reuse", "matmul same", [(5,)], lambda x: product(x, x))
case("reuse", "matmul same", [(2, 3, 3)], lambda x: product(x, x))
case("reuse", "matmul_t same", [(3, 4)], lambda x: product(x, x.T))
case("reuse", "matmul own transpose", [(3, 4)], lambda x: product(x.T, x))
case("reuse", "mse same", [(3, 4)], lambda x: jnp.sum(x - x))
case("reuse", "add own row sums", [(3, 4)], lambda x: x + jnp.sum(x, 1, keepdims=True))
case("reuse", "exp twice", [(3, 4), (3, 4)], lambda a, b: jnp.exp(a) * b + jnp.exp(a))
case("reuse", "exp by value", [(3, 4), (4,)], lambda a, b: (jnp.exp(a) * b - b) * jnp.exp(a))
case("reuse", "add by value", [(3, 4), (3, 4)], lambda a, b: (a * b + a) * (b - a * b))
case("reuse", "add by value", [(3, 1), (4,)], lambda a, b: (a * 2.0 + b * 3.0) * (a + b))
case("reuse", "unary by value", [(37,)], lambda x: jnp.log(jnp.exp(-x * 2.0) + 1.0) / 2.0 - x)
case("reuse", "assign", [(3, 4), (4,)], lambda a, b: ((a * a + b) * a - b) / (b * b + 1.5))
case("reuse", "assign", [(3, 4), ()], lambda a, b: ((a * a + b) * a - b) / (b * b + 1.5))
case("reuse", "assign scalar", [(3, 4)], lambda x: ((x * x + 0.5) * 3.0 - 1.25) / 1.5 * x)
case("reuse", "assign to itself", [(3, 4)], lambda x: (x * x + x * x) * (x * x))
case("reuse", "diamond", [(4,)], lambda x: jnp.sin(x) * jnp.cos(x) + jnp.sin(x) / (1.5 + jnp.cos(x)))
case(
    "reuse",
    "layer norm",
    [(4, 5), (5,), (5,)],
    lambda x, g, b: (x - x.mean(1, keepdims=True)) / jnp.sqrt(var(0)(x, 1, True) + 1e-5) * g + b,
)
case(
    "reuse",
    "attention",
    [(2, 3, 4), (2, 5, 4), (2, 5, 3)],
    lambda q, k, v: product(softmax(product(q, jnp.swapaxes(k, 1, 2)) * 0.5, 2), v),
)
case(
    "reuse",
    "two layers",
    [(4, 3), (5, 3), (5,), (2, 5)],
    lambda x, w, b, v: jnp.mean((product(jnp.tanh(product(x, w.T) + b), v.T)) ** 2),
)
case("reuse", "chain of views", [(2, 3, 4)], lambda x: jnp.transpose(x, (2, 0, 1)).reshape(4, 6).T * x.reshape(6, 4))


def main(check, only=()):
    for family, cases in FAMILIES.items():
        if only and family not in only:
            continue
        names = [name_of(label, shapes) for label, shapes, *_ in cases]
        twice = {n for n, g in itertools.groupby(sorted(names)) if len(list(g)) > 1}
        assert not twice, f"{family}: named twice: {sorted(twice)}"
        lines = [evaluate(family, i, *c) for i, c in enumerate(cases)]
        files.write(family, lines, check)
        print(f"{family}: {len(lines)} cases", flush=True)
    if not only or "random_graphs" in only:
        lines = graphs.generate(GRAPHS)
        files.write("random_graphs", lines, check)
        print(f"random_graphs: {len(lines)} graphs")


if __name__ == "__main__":
    main("--check" in sys.argv[1:], [name for name in sys.argv[1:] if not name.startswith("-")])
