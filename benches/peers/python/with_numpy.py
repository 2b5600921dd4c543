import numpy as np

from measure import FORMS, PRODUCTS, numbers, polynomial, run
from sizes import SIZES

M1, M16 = (1024, 1024), (4096, 4096)


def matmul(layout, a, b):
    a, b, form = numbers(1, a), numbers(2, b), FORMS[layout]
    return lambda: form(a, b)


def on(shape, work):
    def make():
        x = numbers(1, shape)
        return lambda: work(x)

    return make


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def softmax_grad():
    x, g = numbers(1, M1), numbers(2, M1)

    def call():
        y = softmax(x)
        return y, y * (g - (g * y).sum(1, keepdims=True))

    return call


def layer_norm(x):
    centred = x - x.mean(1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(1, keepdims=True) + np.float32(1e-5))


def copy():
    x = numbers(1, M16)
    to = np.ones_like(x)

    def call():
        np.copyto(to, x)
        return to

    return call


def row():
    x, row = numbers(1, (1024, 1024)), numbers(2, 1024)
    return lambda: x + row


works = {
    "add_1m": on(M1, lambda x: x + x),
    "mul_1m": on(M1, lambda x: x * x),
    "row_1m": row,
    "relu_1m": on(M1, lambda x: np.maximum(x, 0)),
    "exp_1m": on(M1, np.exp),
    "tanh_1m": on(M1, np.tanh),
    "sigmoid_1m": on(M1, lambda x: 1 / (1 + np.exp(-x))),
    "softmax_1m": on(M1, softmax),
    "sum_1m": on(M1, np.sum),
    "sum_rows_1m": on(M1, lambda x: x.sum(0)),
    "sum_last_1m": on(M1, lambda x: x.sum(1)),
    "layer_norm_1m": on(M1, layer_norm),
    "softmax_grad_1m": softmax_grad,
    "copy_16m": copy,
    "fused_6_16m": on(M16, polynomial),
    "add_16m": on(M16, lambda x: x + x),
    "relu_16m": on(M16, lambda x: np.maximum(x, 0)),
    "exp_16m": on(M16, np.exp),
    "tanh_16m": on(M16, np.tanh),
    "sigmoid_16m": on(M16, lambda x: 1 / (1 + np.exp(-x))),
    "sum_16m": on(M16, np.sum),
    "sum_rows_16m": on(M16, lambda x: x.sum(0)),
    "softmax_16m": on(M16, softmax),
    **{f"add/{n}": on(n, lambda x: x + x) for n in SIZES},
    **{f"exp/{n}": on(n, np.exp) for n in SIZES},
    **{f"sum/{n}": on(n, np.sum) for n in SIZES},
    **{name: lambda product=product: matmul(*product) for name, product in PRODUCTS.items()},
}
run(works)
