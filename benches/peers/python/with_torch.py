import os

import torch
from torch import nn
from torch.func import grad, vmap

import measure

torch.set_num_threads(int(os.environ["THREADS"]))
torch.manual_seed(0)


def product(form, a, b):
    a, b = torch.randn(a), torch.randn(b)
    return lambda: form(a, b)


def on(n, work):
    def make():
        x = torch.randn(n, n)
        return (lambda: work(x)), 1

    return make


def graded(work):
    def make():
        x, g = torch.randn(1024, 1024, requires_grad=True), torch.randn(1024, 1024)

        def call():
            work(x).backward(g)
            x.grad = None

        return call, 1

    return make


def entropy_grad():
    x, y = torch.randn(1024, 1024, requires_grad=True), torch.arange(1024)

    def call():
        nn.functional.cross_entropy(x, y).backward()
        x.grad = None

    return call, 1


def layer_norm(x):
    return nn.functional.layer_norm(x, (1024,))


def row():
    x, row = torch.randn(1024, 1024), torch.randn(1024)
    return (lambda: x + row), 1


def chain():
    start, step = torch.randn(32, requires_grad=True), torch.randn(32)

    def call():
        x = start
        for _ in range(measure.OPS):
            x = x + step
        x.sum().backward()
        start.grad = None

    return call, measure.OPS


def deep():
    weights = [(torch.randn(512, 512) / 512**0.5).requires_grad_() for _ in range(200)]
    x = torch.randn(512, 512)

    def call():
        y = x
        for w in weights:
            y = y @ w
        y.sum().backward()
        for w in weights:
            w.grad = None

    return call, 1


def training(model, x, loss, optimizer):
    def make():
        own = model()
        rule = optimizer(own.parameters())

        def call():
            rule.zero_grad()
            loss(own(x)).backward()
            rule.step()

        return call, 1

    return make


def labels(n):
    return torch.arange(n) % 10


def entropy(n):
    y = labels(n)
    return lambda logits: nn.functional.cross_entropy(logits, y)


def tiny():
    y = torch.randn(32, 1)
    return training(
        lambda: nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1)),
        torch.randn(32, 2),
        lambda out: nn.functional.mse_loss(out, y),
        torch.optim.Adam,
    )()


def per_example():
    w, b, v, c = torch.randn(128, 784) * 0.05, torch.zeros(128), torch.randn(10, 128) * 0.1, torch.zeros(10)
    x, y = torch.randn(64, 784), labels(64)

    def loss(weights, x, y):
        w, b, v, c = weights
        logits = v @ torch.relu(w @ x + b) + c
        return nn.functional.cross_entropy(logits[None], y[None])

    function = vmap(grad(loss), (None, 0, 0))
    return (lambda: function((w, b, v, c), x, y)), 1


works = {
    "add_1m": on(1024, lambda x: x + x),
    "mul_1m": on(1024, lambda x: x * x),
    "row_1m": row,
    "relu_1m": on(1024, torch.relu),
    "exp_1m": on(1024, torch.exp),
    "tanh_1m": on(1024, torch.tanh),
    "sigmoid_1m": on(1024, torch.sigmoid),
    "softmax_1m": on(1024, lambda x: x.softmax(1)),
    "sum_1m": on(1024, torch.sum),
    "sum_rows_1m": on(1024, lambda x: x.sum(0)),
    "sum_last_1m": on(1024, lambda x: x.sum(1)),
    "layer_norm_1m": on(1024, layer_norm),
    "softmax_grad_1m": graded(lambda x: x.softmax(1)),
    "log_softmax_grad_1m": graded(lambda x: x.log_softmax(1)),
    "layer_norm_grad_1m": graded(layer_norm),
    "cross_entropy_grad_1m": entropy_grad,
    "add_16m": on(4096, lambda x: x + x),
    "relu_16m": on(4096, torch.relu),
    "exp_16m": on(4096, torch.exp),
    "tanh_16m": on(4096, torch.tanh),
    "sigmoid_16m": on(4096, torch.sigmoid),
    "sum_16m": on(4096, torch.sum),
    "sum_rows_16m": on(4096, lambda x: x.sum(0)),
    "softmax_16m": on(4096, lambda x: x.softmax(1)),
    "chain_32": chain,
    "deep_200_512": deep,
    "mlp_tiny": tiny,
    "mlp_784_128_10": training(
        lambda: nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)),
        torch.randn(64, 784),
        entropy(64),
        torch.optim.Adam,
    ),
    "mlp_784_512_512_10": training(
        lambda: nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)),
        torch.randn(128, 784),
        entropy(128),
        torch.optim.Adam,
    ),
    "cnn": training(
        lambda: nn.Sequential(
            nn.Conv2d(1, 16, 5),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 5),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(512, 10),
        ),
        torch.randn(64, 1, 28, 28),
        entropy(64),
        lambda parameters: torch.optim.SGD(parameters, lr=0.01),
    ),
    "per_example_gradients": per_example,
}
for name, (layout, a, b) in measure.PRODUCTS.items():
    works[name] = lambda layout=layout, a=a, b=b: (product(measure.FORMS[layout], a, b), 1)
measure.run(works)
