import os

if os.environ["THREADS"] == "1":
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
# Otherwise XLA has a thread for each core that the process may use: `compare.py` allows as many cores as threads.

import jax
import jax.numpy as jnp

import measure
from measure import FORMS, PRODUCTS, polynomial, run
from sizes import SIZES

M1, M16 = (1024, 1024), (4096, 4096)


def numbers(seed, shape, scale=1.0):
    return jax.block_until_ready(jnp.asarray(measure.numbers(seed, shape, scale)))


def weight(seed, outputs, inputs):
    return jnp.asarray(measure.weight(seed, outputs, inputs))


def compiled(function, *inputs):
    # Compiling takes time and memory of its own: here, before a call.
    function = jax.jit(function).lower(*inputs).compile()
    return lambda: jax.block_until_ready(function(*inputs))


def on(shape, work):
    return lambda: compiled(work, numbers(1, shape))


def matmul(layout, a, b):
    return compiled(FORMS[layout], numbers(1, a), numbers(2, b))


def graded(work):
    def both(x, g):
        y, pull = jax.vjp(work, x)
        return y, *pull(g)

    return lambda: compiled(both, numbers(1, M1), numbers(2, M1))


def layer_norm(x):
    centred = x - x.mean(1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(1, keepdims=True) + 1e-5)


def entropy_of_rows(x):
    return -jnp.diagonal(jax.nn.log_softmax(x, 1)).mean()


def adam(weights, state, grads, rate=1e-3, b1=0.9, b2=0.999, eps=1e-8):
    m, v, t = state
    t = t + 1
    m = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, m, grads)
    v = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, v, grads)
    step = lambda w, m, v: w - rate * (m / (1 - b1**t)) / (jnp.sqrt(v / (1 - b2**t)) + eps)
    return jax.tree.map(step, weights, m, v), (m, v, t)


def deep():
    weights = [weight(i, 512, 512) for i in range(200)]
    x = numbers(200, (512, 512))

    def loss(weights, x):
        for w in weights:
            x = x @ w
        return x.sum()

    call = compiled(jax.grad(loss), weights, x)
    return lambda: call()[0]


def training(weights, loss, update, state):
    def step(weights, state):
        value, grads = jax.value_and_grad(loss)(weights)
        return value, *update(weights, state, grads)

    step = jax.jit(step).lower(weights, state).compile()
    held = [weights, state]

    def call():
        value, *held[:] = jax.block_until_ready(step(*held))
        return value

    return call


def layers(*sizes):
    return [(weight(seed + 1, o, i), jnp.zeros(o)) for seed, (i, o) in enumerate(zip(sizes, sizes[1:]))]


def mlp(weights, x, activation):
    for w, b in weights[:-1]:
        x = activation(x @ w.T + b)
    w, b = weights[-1]
    return x @ w.T + b


def entropy(logits):
    y = jnp.arange(logits.shape[0]) % 10
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), y[:, None], 1).mean()


def with_adam(weights, loss):
    zeros = jax.tree.map(jnp.zeros_like, weights)
    return training(weights, loss, adam, (zeros, zeros, 0.0))


def with_sgd(weights, loss):
    update = lambda weights, state, grads: (jax.tree.map(lambda w, g: w - 0.01 * g, weights, grads), state)
    return training(weights, loss, update, ())


def tiny(train=with_adam):
    x, y = numbers(4, (32, 2)), numbers(5, (32, 1))
    return train(layers(2, 16, 16, 1), lambda w: ((mlp(w, x, jnp.tanh) - y) ** 2).mean())


def classifier(batch, *sizes):
    def make():
        x = numbers(4, (batch, sizes[0]))
        return with_adam(layers(*sizes), lambda w: entropy(mlp(w, x, jax.nn.relu)))

    return make


def cnn():
    x = numbers(4, (64, 1, 28, 28))

    def conv(x, w):
        return jax.lax.conv_general_dilated(x, w, (1, 1), "VALID")

    def pool(x):
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    def loss(weights):
        a, b, c, d, w, bias = weights
        h = pool(jax.nn.relu(conv(x, a) + b[:, None, None]))
        h = pool(jax.nn.relu(conv(h, c) + d[:, None, None]))
        return entropy(h.reshape(64, 512) @ w.T + bias)

    weights = (
        numbers(1, (16, 1, 5, 5), 25**-0.5),
        jnp.zeros(16),
        numbers(2, (32, 16, 5, 5), 400**-0.5),
        jnp.zeros(32),
        weight(3, 10, 512),
        jnp.zeros(10),
    )
    return with_sgd(weights, loss)


def per_example():
    weights = layers(784, 128, 10)

    def loss(weights, x, y):
        (w, b), (v, c) = weights
        return -jax.nn.log_softmax(v @ jax.nn.relu(w @ x + b) + c)[y]

    gradients = jax.vmap(jax.grad(loss), (None, 0, 0))
    call = compiled(gradients, weights, numbers(3, (64, 784)), jnp.arange(64) % 10)
    return lambda: call()[0][0]


def transformer():
    norms = [(jnp.ones(128), jnp.zeros(128)) for _ in range(2)]
    sizes = [(384, 128), (128, 128), (512, 128), (128, 512)]
    linears = [(weight(seed + 1, o, i), jnp.zeros(o)) for seed, (o, i) in enumerate(sizes)]

    def norm(gain_and_bias, x):
        gain, bias = gain_and_bias
        return (x - x.mean(2, keepdims=True)) * jax.lax.rsqrt(x.var(2, keepdims=True) + 1e-5) * gain + bias

    def linear(weight_and_bias, x):
        w, b = weight_and_bias
        return x @ w.T + b

    def block(norms, linears, x):
        before_attention, before_hidden = norms
        queries_keys_values, attended, up, down = linears
        parts = jnp.split(linear(queries_keys_values, norm(before_attention, x)), 3, 2)
        q, k, v = (part.reshape(8, 64, 4, 32) for part in parts)
        x = x + linear(attended, jax.nn.dot_product_attention(q, k, v).reshape(8, 64, 128))
        return x + linear(down, jax.nn.gelu(linear(up, norm(before_hidden, x)), approximate=False))

    gradients = jax.grad(lambda *inputs: jnp.square(block(*inputs)).mean(), (0, 1, 2))
    call = compiled(gradients, norms, linears, numbers(5, (8, 64, 128)))

    def results():
        _, linears, x = call()
        return x, linears[0][0]

    return results


works = {
    "add_1m": on(M1, lambda x: x + x),
    "mul_1m": on(M1, lambda x: x * x),
    "row_1m": lambda: compiled(lambda x, row: x + row, numbers(1, M1), numbers(2, 1024)),
    "relu_1m": on(M1, jax.nn.relu),
    "exp_1m": on(M1, jnp.exp),
    "tanh_1m": on(M1, jnp.tanh),
    "sigmoid_1m": on(M1, jax.nn.sigmoid),
    "softmax_1m": on(M1, lambda x: jax.nn.softmax(x, 1)),
    "sum_1m": on(M1, jnp.sum),
    "sum_rows_1m": on(M1, lambda x: x.sum(0)),
    "sum_last_1m": on(M1, lambda x: x.sum(1)),
    "layer_norm_1m": on(M1, layer_norm),
    "softmax_grad_1m": graded(lambda x: jax.nn.softmax(x, 1)),
    "log_softmax_grad_1m": graded(lambda x: jax.nn.log_softmax(x, 1)),
    "layer_norm_grad_1m": graded(layer_norm),
    "cross_entropy_grad_1m": on(M1, jax.value_and_grad(entropy_of_rows)),
    "fused_6_16m": on(M16, polynomial),
    "add_16m": on(M16, lambda x: x + x),
    "relu_16m": on(M16, jax.nn.relu),
    "exp_16m": on(M16, jnp.exp),
    "tanh_16m": on(M16, jnp.tanh),
    "sigmoid_16m": on(M16, jax.nn.sigmoid),
    "sum_16m": on(M16, jnp.sum),
    "sum_rows_16m": on(M16, lambda x: x.sum(0)),
    "softmax_16m": on(M16, lambda x: jax.nn.softmax(x, 1)),
    "deep_200_512": deep,
    "first_call": tiny,
    "mlp_tiny": tiny,
    "mlp_tiny_sgd": lambda: tiny(with_sgd),
    "mlp_784_128_10": classifier(64, 784, 128, 10),
    "mlp_784_512_512_10": classifier(128, 784, 512, 512, 10),
    "cnn": cnn,
    "transformer": transformer,
    "per_example_gradients": per_example,
    **{f"add/{n}": on(n, lambda x: x + x) for n in SIZES},
    **{f"exp/{n}": on(n, jnp.exp) for n in SIZES},
    **{f"sum/{n}": on(n, jnp.sum) for n in SIZES},
    **{name: lambda product=product: matmul(*product) for name, product in PRODUCTS.items()},
}
run(works)
