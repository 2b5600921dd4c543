import numpy as np

import measure

rng = np.random.default_rng(0)


def random(*shape):
    return rng.standard_normal(shape, dtype=np.float32)


def product(form, a, b):
    a, b = random(*a), random(*b)
    return lambda: form(a, b)


def on(n, work):
    def make():
        x = random(n, n)
        return (lambda: work(x)), 1

    return make


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def softmax_grad():
    x, g = random(1024, 1024), random(1024, 1024)

    def call():
        y = softmax(x)
        return y, y * (g - (g * y).sum(1, keepdims=True))

    return call, 1


def layer_norm(x):
    centred = x - x.mean(1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(1, keepdims=True) + np.float32(1e-5))


def row():
    x, row = random(1024, 1024), random(1024)
    return (lambda: x + row), 1


works = {
    "add_1m": on(1024, lambda x: x + x),
    "mul_1m": on(1024, lambda x: x * x),
    "row_1m": row,
    "relu_1m": on(1024, lambda x: np.maximum(x, 0)),
    "exp_1m": on(1024, np.exp),
    "tanh_1m": on(1024, np.tanh),
    "sigmoid_1m": on(1024, lambda x: 1 / (1 + np.exp(-x))),
    "softmax_1m": on(1024, softmax),
    "sum_1m": on(1024, np.sum),
    "sum_rows_1m": on(1024, lambda x: x.sum(0)),
    "sum_last_1m": on(1024, lambda x: x.sum(1)),
    "layer_norm_1m": on(1024, layer_norm),
    "softmax_grad_1m": softmax_grad,
    "add_16m": on(4096, lambda x: x + x),
    "relu_16m": on(4096, lambda x: np.maximum(x, 0)),
    "exp_16m": on(4096, np.exp),
    "tanh_16m": on(4096, np.tanh),
    "sigmoid_16m": on(4096, lambda x: 1 / (1 + np.exp(-x))),
    "sum_16m": on(4096, np.sum),
    "sum_rows_16m": on(4096, lambda x: x.sum(0)),
    "softmax_16m": on(4096, softmax),
}
for name, (layout, a, b) in measure.PRODUCTS.items():
    works[name] = lambda layout=layout, a=a, b=b: (product(measure.FORMS[layout], a, b), 1)
measure.run(works)
