"""Random two-layer graphs over a typed register file, their loss and the gradients of their leaves.

A graph is a list of instructions `[operation, register, ..., number...]`; each appends one register.
Registers 0.. are the leaves. Every register has one of the fixed shapes below, so that a program
whose tensors carry their shape in the type can replay it with a `match`.
"""

import jax
import jax.numpy as jnp
import numpy as np

import files

LEAVES = [
    ("batch", (2, 4, 3)),
    ("x", (4, 3)),
    ("row", (3,)),
    ("flat", (1, 3)),
    ("column", (4, 1)),
    ("scalar", ()),
    ("w1", (3, 5)),
    ("bias", (5,)),
    ("w2", (5, 2)),
    ("w3", (5, 3)),
]
# What an operation may yield: shapes outside this set have no register type.
SHAPES = {s for _, s in LEAVES} | {(4, 5), (2, 4, 5), (4, 2)}
STRETCHABLE = {(1, 3), (4, 1)}  # their 1 may stretch; no other shape here has an axis of 1

LARGEST = 4.0  # no register holds a larger number: differences of large numbers would hide faults
GAP = 1e-3  # no kink closer than this: a rounding error must not choose another branch


def axis(f, i, keep=False):
    return lambda x: f(x, axis=i, keepdims=keep)


def softmax(x, i):
    e = jnp.exp(x - jax.lax.stop_gradient(jnp.max(x, axis=i, keepdims=True)))
    return e / jnp.sum(e, axis=i, keepdims=True)


def log_softmax(x, i):
    shifted = x - jax.lax.stop_gradient(jnp.max(x, axis=i, keepdims=True))
    return shifted - jnp.log(jnp.sum(jnp.exp(shifted), axis=i, keepdims=True))


def log_sum_exp(x, i):
    return jnp.log(jnp.sum(jnp.exp(x), axis=i))


def variance(x, i):
    d = x - jnp.mean(x, axis=i, keepdims=True)
    return jnp.mean(d * d, axis=i, keepdims=True)


UNARY = {
    "neg": lambda x: -x,
    "tanh": jnp.tanh,
    "sigmoid": lambda x: 1 / (1 + jnp.exp(-x)),
    "sin": jnp.sin,
    "cos": jnp.cos,
    "exp": jnp.exp,
    "square": lambda x: x * x,
    "cube": lambda x: x * x * x,
    "gelu": lambda x: 0.5 * x * (1 + jax.scipy.special.erf(x / np.sqrt(2.0))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + jnp.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + jnp.exp(-x)),
    "softplus": lambda x: jnp.logaddexp(x, 0.0),
}
KINKED = {  # all have their kink at 0
    "relu": lambda x: jnp.where(x > 0, x, 0.0),
    "leaky_relu": lambda x: jnp.where(x > 0, x, 0.1 * x),
    "abs": jnp.abs,
}
POSITIVE = {"sqrt": jnp.sqrt, "ln": jnp.log, "recip": lambda x: 1 / x}
WITH_NUMBER = {
    "add_number": lambda x, c: x + c,
    "mul_number": lambda x, c: x * c,
    "number_sub": lambda x, c: c - x,
}
BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
}
BINARY_KINKED = {
    "maximum": lambda a, b: jnp.where(a > b, a, b),
    "minimum": lambda a, b: jnp.where(a < b, a, b),
}
SHAPED = {  # (operation, shape of its input): what it does
    ("sum_axis_0", (2, 4, 3)): axis(jnp.sum, 0),
    ("mean_axis_0", (2, 4, 3)): axis(jnp.mean, 0),
    ("sum_axis_0", (4, 3)): axis(jnp.sum, 0),
    ("mean_keepdim_0", (4, 3)): axis(jnp.mean, 0, True),
    ("mean_keepdim_1", (4, 3)): axis(jnp.mean, 1, True),
    ("sum_keepdim_1", (4, 3)): axis(jnp.sum, 1, True),
    ("var_keepdim_1", (4, 3)): lambda x: variance(x, 1),
    ("logsumexp_axis_0", (4, 3)): lambda x: log_sum_exp(x, 0),
    ("softmax_1", (4, 3)): lambda x: softmax(x, 1),
    ("log_softmax_0", (4, 3)): lambda x: log_softmax(x, 0),
    ("softmax_2", (2, 4, 3)): lambda x: softmax(x, 2),
    ("sum_keepdim_1", (4, 5)): axis(jnp.sum, 1, True),
    ("mean_axis_0", (4, 5)): axis(jnp.mean, 0),
    ("softmax_1", (4, 5)): lambda x: softmax(x, 1),
    ("log_softmax_0", (4, 5)): lambda x: log_softmax(x, 0),
    ("sum_axis_0", (2, 4, 5)): axis(jnp.sum, 0),
    ("mean_axis_0", (2, 4, 5)): axis(jnp.mean, 0),
    ("mean_keepdim_1", (4, 2)): axis(jnp.mean, 1, True),
    ("softmax_1", (4, 2)): lambda x: softmax(x, 1),
    ("stretch_rows", (3,)): lambda x: jnp.broadcast_to(x, (4, 3)),
    ("stretch_rows", (4, 1)): lambda x: jnp.broadcast_to(x, (4, 3)),
    ("unsqueeze_0", (3,)): lambda x: x.reshape(1, 3),
    ("squeeze_0", (1, 3)): lambda x: x.reshape(3),
    ("transpose", (3, 5)): lambda x: x.T,
    ("transpose", (5, 3)): lambda x: x.T,
}
SHAPED_DISTINCT = {
    ("max_keepdim_1", (4, 3)): axis(jnp.max, 1, True),
    ("min_axis_0", (4, 3)): axis(jnp.min, 0),
    ("max_keepdim_1", (4, 5)): axis(jnp.max, 1, True),
}
PRODUCTS = {
    ("matmul", (4, 3), (3, 5)): jnp.matmul,
    ("matmul", (2, 4, 3), (3, 5)): jnp.matmul,
    ("matmul", (3,), (3, 5)): jnp.matmul,
    ("matmul", (5,), (5,)): jnp.matmul,
    ("matmul", (3,), (3,)): jnp.matmul,
    ("matmul", (4, 5), (5, 2)): jnp.matmul,
    ("matmul_t", (4, 3), (5, 3)): lambda a, b: a @ b.T,
    ("matmul_t", (2, 4, 3), (5, 3)): lambda a, b: a @ b.T,
}


def apply(op, values, numbers=()):
    """One instruction."""
    shapes = tuple(v.shape for v in values)
    for table in (UNARY, KINKED, POSITIVE, WITH_NUMBER, BINARY, BINARY_KINKED):
        if op in table:
            return table[op](*values, *numbers)
    for table in (SHAPED, SHAPED_DISTINCT, PRODUCTS):
        if (op, *shapes) in table:
            return table[(op, *shapes)](*values)
    if op == "mean":
        return jnp.mean(values[0])
    if op == "sum":
        return jnp.sum(values[0])
    if op == "select_gt":
        a, b, c, d = values
        return jnp.where(a > b, c, d)
    raise KeyError(op, shapes)


def replay(program, leaves):
    registers = list(leaves)
    for op, *arguments in program:
        picked = [registers[i] for i in arguments if isinstance(i, int)]
        registers.append(apply(op, picked, [c for c in arguments if isinstance(c, float)]))
    return registers[-1]


def stretches(a, b):
    """The shape two operands broadcast to by this crate's rule, if a register can hold it."""
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        return None
    return shape if shape in SHAPES else None


def far_from_ties(x):
    x = np.sort(np.asarray(x).ravel())
    return x.size < 2 or np.min(np.diff(x)) > GAP


class Builder:
    def __init__(self, rng, leaves):
        self.rng, self.program = rng, []
        self.registers = list(leaves)
        self.used = set()

    def push(self, op, *arguments):
        picked = [self.registers[i] for i in arguments if isinstance(i, int)]
        y = np.asarray(apply(op, picked, [c for c in arguments if isinstance(c, float)]))
        if y.shape not in SHAPES or not np.all(np.isfinite(y)) or np.max(np.abs(y)) > LARGEST:
            return None
        self.program.append([op, *arguments])
        self.registers.append(y)
        self.used |= {i for i in arguments if isinstance(i, int)}
        return len(self.registers) - 1

    def pick(self, shapes):
        """A register of one of these shapes: any, one of the last, or one that nothing has used yet."""
        of = [i for i, v in enumerate(self.registers) if v.shape in shapes]
        loose = [i for i in of if i not in self.used]
        way = self.rng.integers(4)
        if way == 0:
            of = of[-3:]
        elif way > 1 and loose:
            of = loose
        return int(self.rng.choice(of))

    def choose(self, options):
        return options[int(self.rng.integers(len(options)))]

    def step(self, shapes):
        """One random operation whose inputs have these shapes."""
        rng = self.rng
        while True:
            kind = self.choose(["unary"] * 3 + ["kinked", "number", "positive", "select"] + ["binary"] * 6 + ["tie", "shaped", "shaped", "distinct", "product", "div"])
            a, b = self.pick(shapes), self.pick(shapes)
            va, vb = self.registers[a], self.registers[b]
            done = None
            if kind == "unary":
                done = self.push(self.choose(list(UNARY)), a)
            elif kind == "kinked" and np.min(np.abs(va)) > GAP:
                done = self.push(self.choose(list(KINKED)), a)
            elif kind == "number":
                done = self.push(self.choose(list(WITH_NUMBER)), a, self.choose([-1.5, -0.5, 0.25, 0.75, 1.25]))
            elif kind == "positive" and np.min(va) > 0.3:
                done = self.push(self.choose(list(POSITIVE)), a)
            elif kind == "binary" and stretches(va.shape, vb.shape):
                done = self.push(self.choose(list(BINARY)), a, b)
            elif kind == "tie" and stretches(va.shape, vb.shape) and np.min(np.abs(va - vb)) > GAP:
                done = self.push(self.choose(list(BINARY_KINKED)), a, b)
            elif kind == "select" and (4, 3) in shapes:
                a, b, c, d = (self.pick({(4, 3)}) for _ in range(4))
                if np.min(np.abs(self.registers[a] - self.registers[b])) > GAP:
                    done = self.push("select_gt", a, b, c, d)
            elif kind == "shaped":
                options = [op for op, s in SHAPED if s == va.shape]
                done = self.push(self.choose(options), a) if options else None
            elif kind == "distinct" and far_from_ties(va):
                options = [op for op, s in SHAPED_DISTINCT if s == va.shape]
                done = self.push(self.choose(options), a) if options else None
            elif kind == "product":
                options = [op for op, s, t in PRODUCTS if (s, t) == (va.shape, vb.shape)]
                done = self.push(self.choose(options), a, b) if options else None
            elif kind == "div" and stretches(va.shape, vb.shape):
                square = self.push("square", b)
                below = square and self.push("add_number", square, 1.5)
                above = below and self.push("recip", below)
                done = above and self.push("mul", a, above)
            if done is not None:
                return done


FIRST = {(2, 4, 3), (4, 3), (3,), (1, 3), (4, 1), (), (3, 5), (5, 3)}
SECOND = {(4, 5), (2, 4, 5), (5,), (4, 1), ()}
THIRD = {(4, 2), (4, 1), ()}


def build(rng, leaves):
    b = Builder(rng, leaves)
    for _ in range(int(rng.integers(6, 13))):
        b.step(FIRST)
    # First layer, by any of the three ways to it.
    way = rng.integers(3)
    if way == 0:
        h = b.push("matmul", b.pick({(4, 3)}), b.pick({(3, 5)}))
    elif way == 1:
        h = b.push("matmul_t", b.pick({(4, 3)}), b.pick({(5, 3)}))
    else:
        h = b.push("matmul", b.pick({(2, 4, 3)}), b.pick({(3, 5)}))
        h = h and b.push("mean_axis_0", h)
    h = h and b.push("add", h, b.pick({(5,)}))
    h = h and b.push(b.choose(["tanh", "sigmoid", "gelu", "silu", "softplus"]), h)
    if h is None:
        return None
    for _ in range(int(rng.integers(4, 10))):
        b.step(SECOND)
    y = b.push("matmul", h if rng.random() < 0.5 else b.pick({(4, 5)}), b.pick({(5, 2)}))
    if y is None:
        return None
    for _ in range(int(rng.integers(2, 6))):
        b.step(THIRD)
    # The loss: the mean of every register that nothing has used, and the last layer's.
    loose = [i for i in range(len(LEAVES), len(b.registers)) if i not in b.used]
    total = b.push("square", y)
    total = total and b.push("mean", total)
    for i in loose:
        part = total and (b.push("mean", i) if b.registers[i].shape else i)
        part = part and b.push("mul_number", part, float(rng.choice([-0.75, 0.5, 1.25])))
        total = part and b.push("add", total, part)
    return b.program if total else None


def reached(program):
    """Which leaves a gradient can flow to: a comparison's operands are not among them."""
    flows = {len(LEAVES) + len(program) - 1}
    for i in reversed(range(len(program))):
        op, *arguments = program[i]
        if len(LEAVES) + i in flows:
            inputs = [a for a in arguments if isinstance(a, int)]
            flows |= set(inputs[2:] if op == "select_gt" else inputs)
    return [i in flows for i in range(len(LEAVES))]


def generate(count):
    lines, attempt = [], 0
    while len(lines) < count:
        rng = np.random.default_rng([19, attempt])
        attempt += 1
        leaves = [rng.uniform(-1.0, 1.0, s).astype(np.float32).astype(np.float64) for _, s in LEAVES]
        program = build(rng, leaves)
        if program is None:
            continue
        both = jax.value_and_grad(lambda leaves: replay(program, leaves))
        loss, grads = both(leaves)
        flows = reached(program)
        if not 1e-2 < abs(loss) < 1e2 or sum(flows) < 6:
            continue
        sizes = [float(np.max(np.abs(g))) for g in grads]
        assert all(flow or not size for flow, size in zip(flows, sizes))
        if any(flow and not 1e-3 < size < 1e2 for flow, size in zip(flows, sizes)):
            continue  # a gradient that cancels to nearly nothing has no digits to compare
        # One unit in the last place of every leaf must stay far below what the test allows (1e-12).
        moved = [x * (1 + rng.choice([-1, 1], x.shape) * 2.0**-52) for x in leaves]
        loss2, grads2 = both(moved)
        drift = [float(np.max(np.abs(g - h))) / s for g, h, s, f in zip(grads, grads2, sizes, flows) if f]
        if max(drift) > 5e-14 or abs(loss - loss2) > 5e-14 * abs(loss):
            continue
        lines.append(
            {
                "name": f"graph {len(lines)}",
                "leaves": [files.numbers(x) for x in leaves],
                "program": program,
                "loss": files.number(loss),
                "grads": [files.numbers(g) if f else None for g, f in zip(grads, flows)],
            }
        )
    return lines
