import os

if os.environ["THREADS"] == "1":
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp

import measure

key = jax.random.PRNGKey(0)


def random(*shape):
    return jax.random.normal(key, shape)


def compiled(function, *inputs):
    function = jax.jit(function)
    return (lambda: jax.block_until_ready(function(*inputs))), 1


def on(n, work):
    return lambda: compiled(work, random(n, n))


def graded(work):
    def both(x, g):
        y, pull = jax.vjp(work, x)
        return y, pull(g)

    return lambda: compiled(both, random(1024, 1024), random(1024, 1024))


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
    weights = [random(512, 512) / 512**0.5 for _ in range(200)]

    def loss(weights, x):
        for w in weights:
            x = x @ w
        return x.sum()

    # Compiling needs memory of its own.
    function = jax.jit(jax.grad(loss)).lower(weights, weights[0]).compile()
    return (lambda: jax.block_until_ready(function(weights, weights[0]))), 1


def training(weights, loss, update, state):
    @jax.jit
    def step(weights, state):
        return update(weights, state, jax.grad(loss)(weights))

    held = [weights, state]

    def call():
        held[0], held[1] = step(*held)
        jax.block_until_ready(held)

    return call, 1


def layers(*sizes):
    return [(random(o, i) * i**-0.5, jnp.zeros(o)) for i, o in zip(sizes, sizes[1:])]


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


def tiny():
    x, y = random(32, 2), random(32, 1)
    return with_adam(layers(2, 16, 16, 1), lambda w: ((mlp(w, x, jnp.tanh) - y) ** 2).mean())


def classifier(batch, *sizes):
    x = random(batch, sizes[0])
    return lambda: with_adam(layers(*sizes), lambda w: entropy(mlp(w, x, jax.nn.relu)))


def cnn():
    x = random(64, 1, 28, 28)

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
        random(16, 1, 5, 5) * 0.2,
        jnp.zeros(16),
        random(32, 16, 5, 5) * 0.05,
        jnp.zeros(32),
        random(10, 512) * 0.04,
        jnp.zeros(10),
    )
    sgd = lambda weights, state, grads: (jax.tree.map(lambda w, g: w - 0.01 * g, weights, grads), state)
    return training(weights, loss, sgd, ())


def per_example():
    weights = layers(784, 128, 10)

    def loss(weights, x, y):
        (w, b), (v, c) = weights
        return -jax.nn.log_softmax(v @ jax.nn.relu(w @ x + b) + c)[y]

    return compiled(
        lambda w, x, y: jax.vmap(jax.grad(loss), (None, 0, 0))(w, x, y), weights, random(64, 784), jnp.arange(64) % 10
    )


works = {
    "add_1m": on(1024, lambda x: x + x),
    "mul_1m": on(1024, lambda x: x * x),
    "row_1m": lambda: compiled(lambda x, row: x + row, random(1024, 1024), random(1024)),
    "relu_1m": on(1024, jax.nn.relu),
    "exp_1m": on(1024, jnp.exp),
    "tanh_1m": on(1024, jnp.tanh),
    "sigmoid_1m": on(1024, jax.nn.sigmoid),
    "softmax_1m": on(1024, lambda x: jax.nn.softmax(x, 1)),
    "sum_1m": on(1024, jnp.sum),
    "sum_rows_1m": on(1024, lambda x: x.sum(0)),
    "sum_last_1m": on(1024, lambda x: x.sum(1)),
    "layer_norm_1m": on(1024, layer_norm),
    "softmax_grad_1m": graded(lambda x: jax.nn.softmax(x, 1)),
    "log_softmax_grad_1m": graded(lambda x: jax.nn.log_softmax(x, 1)),
    "layer_norm_grad_1m": graded(layer_norm),
    "cross_entropy_grad_1m": on(1024, jax.value_and_grad(entropy_of_rows)),
    "add_16m": on(4096, lambda x: x + x),
    "relu_16m": on(4096, jax.nn.relu),
    "exp_16m": on(4096, jnp.exp),
    "tanh_16m": on(4096, jnp.tanh),
    "sigmoid_16m": on(4096, jax.nn.sigmoid),
    "sum_16m": on(4096, jnp.sum),
    "sum_rows_16m": on(4096, lambda x: x.sum(0)),
    "softmax_16m": on(4096, lambda x: jax.nn.softmax(x, 1)),
    "deep_200_512": deep,
    "mlp_tiny": tiny,
    "mlp_784_128_10": classifier(64, 784, 128, 10),
    "mlp_784_512_512_10": classifier(128, 784, 512, 512, 10),
    "cnn": cnn,
    "per_example_gradients": per_example,
}
for name, (layout, a, b) in measure.PRODUCTS.items():
    works[name] = lambda layout=layout, a=a, b=b: compiled(measure.FORMS[layout], random(*a), random(*b))
measure.run(works)
