import os

import torch
from torch import nn
from torch.func import grad, vmap

import measure
from measure import FORMS, OPS, PRODUCTS, polynomial, run
from sizes import NODES, SIZES

M1, M16 = (1024, 1024), (4096, 4096)
torch.set_num_threads(int(os.environ["THREADS"]))


def numbers(seed, shape, scale=1.0):
    return torch.from_numpy(measure.numbers(seed, shape, scale))


def weight(seed, outputs, inputs):
    return torch.from_numpy(measure.weight(seed, outputs, inputs))


def matmul(layout, a, b):
    a, b, form = numbers(1, a), numbers(2, b), FORMS[layout]
    return lambda: form(a, b)


def on(shape, work):
    def make():
        x = numbers(1, shape)
        return lambda: work(x)

    return make


def graded(work):
    def make():
        x, g = numbers(1, M1).requires_grad_(), numbers(2, M1)

        def call():
            y = work(x)
            y.backward(g)
            slope, x.grad = x.grad, None
            return y.detach(), slope

        return call

    return make


def entropy_grad():
    x, y = numbers(1, M1).requires_grad_(), torch.arange(1024)

    def call():
        loss = nn.functional.cross_entropy(x, y)
        loss.backward()
        slope, x.grad = x.grad, None
        return loss.detach(), slope

    return call


def layer_norm(x):
    return nn.functional.layer_norm(x, (1024,))


def row():
    x, row = numbers(1, (1024, 1024)), numbers(2, 1024)
    return lambda: x + row


def chain(ops, recorded):
    start, step = numbers(1, 32).requires_grad_(recorded), numbers(2, 32, 0.01)

    def call():
        x = start
        for _ in range(ops):
            x = x + step
        total = x.sum()
        if recorded:
            total.backward()
            start.grad = None
        return total.detach()

    return call, ops


def deep():
    weights = [weight(i, 512, 512).requires_grad_() for i in range(200)]
    x = numbers(200, (512, 512))

    def call():
        y = x
        for w in weights:
            y = y @ w
        y.sum().backward()
        first = weights[0].grad
        for w in weights:
            w.grad = None
        return first

    return call


def started(*layers):
    """A model whose n-th layer with parameters has the weight of seed n."""
    seed = 0
    for layer in layers:
        if hasattr(layer, "weight"):
            seed += 1
            shape = tuple(layer.weight.shape)
            with torch.no_grad():
                layer.weight.copy_(numbers(seed, shape, layer.weight[0].numel() ** -0.5))
                layer.bias.zero_()
    return nn.Sequential(*layers)


def training(model, x, loss, optimizer):
    model = model()
    rule = optimizer(model.parameters())

    def call():
        rule.zero_grad()
        value = loss(model(x))
        value.backward()
        rule.step()
        return value.detach()

    return call


def labels(n):
    return torch.arange(n) % 10


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=0.01)


def tiny(optimizer=torch.optim.Adam):
    y = numbers(5, (32, 1))
    return training(
        lambda: started(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1)),
        numbers(4, (32, 2)),
        lambda out: nn.functional.mse_loss(out, y),
        optimizer,
    )


def classifier(layers, shape, optimizer=torch.optim.Adam):
    y = labels(shape[0])
    loss = lambda logits: nn.functional.cross_entropy(logits, y)
    return lambda: training(lambda: started(*layers()), numbers(4, shape), loss, optimizer)


def per_example():
    w, b, v, c = weight(1, 128, 784), torch.zeros(128), weight(2, 10, 128), torch.zeros(10)
    x, y = numbers(3, (64, 784)), labels(64)

    def loss(weights, x, y):
        w, b, v, c = weights
        logits = v @ torch.relu(w @ x + b) + c
        return nn.functional.cross_entropy(logits[None], y[None])

    function = vmap(grad(loss), (None, 0, 0))
    return lambda: function((w, b, v, c), x, y)[0]


class Block(nn.Module):
    """A block of a transformer, its norms before what they serve."""

    def __init__(self):
        super().__init__()
        self.before_attention, self.before_hidden = nn.LayerNorm(128), nn.LayerNorm(128)
        linears = nn.Linear(128, 384), nn.Linear(128, 128), nn.Linear(128, 512), nn.Linear(512, 128)
        started(*linears)
        self.queries_keys_values, self.attended, self.up, self.down = linears

    def forward(self, x):
        parts = self.queries_keys_values(self.before_attention(x)).chunk(3, 2)
        q, k, v = (part.reshape(8, 64, 4, 32).transpose(1, 2) for part in parts)
        seen = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(8, 64, 128)
        x = x + self.attended(seen)
        return x + self.down(nn.functional.gelu(self.up(self.before_hidden(x))))


def transformer():
    block, x = Block(), numbers(5, (8, 64, 128)).requires_grad_()

    def call():
        block.zero_grad()
        x.grad = None
        block(x).square().mean().backward()
        return x.grad, block.queries_keys_values.weight.grad

    return call


works = {
    "add_1m": on(M1, lambda x: x + x),
    "mul_1m": on(M1, lambda x: x * x),
    "row_1m": row,
    "relu_1m": on(M1, torch.relu),
    "exp_1m": on(M1, torch.exp),
    "tanh_1m": on(M1, torch.tanh),
    "sigmoid_1m": on(M1, torch.sigmoid),
    "softmax_1m": on(M1, lambda x: x.softmax(1)),
    "sum_1m": on(M1, torch.sum),
    "sum_rows_1m": on(M1, lambda x: x.sum(0)),
    "sum_last_1m": on(M1, lambda x: x.sum(1)),
    "layer_norm_1m": on(M1, layer_norm),
    "softmax_grad_1m": graded(lambda x: x.softmax(1)),
    "log_softmax_grad_1m": graded(lambda x: x.log_softmax(1)),
    "layer_norm_grad_1m": graded(layer_norm),
    "cross_entropy_grad_1m": entropy_grad,
    "fused_6_16m": on(M16, polynomial),
    "add_16m": on(M16, lambda x: x + x),
    "relu_16m": on(M16, torch.relu),
    "exp_16m": on(M16, torch.exp),
    "tanh_16m": on(M16, torch.tanh),
    "sigmoid_16m": on(M16, torch.sigmoid),
    "sum_16m": on(M16, torch.sum),
    "sum_rows_16m": on(M16, lambda x: x.sum(0)),
    "softmax_16m": on(M16, lambda x: x.softmax(1)),
    "chain_32": lambda: chain(OPS, True),
    "chain_32_plain": lambda: chain(OPS, False),
    "deep_200_512": deep,
    "first_call": tiny,
    "mlp_tiny": tiny,
    "mlp_tiny_sgd": lambda: tiny(sgd),
    "mlp_784_128_10": classifier(lambda: [nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10)], (64, 784)),
    "mlp_784_512_512_10": classifier(
        lambda: [nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)], (128, 784)
    ),
    "cnn": classifier(
        lambda: [
            nn.Conv2d(1, 16, 5),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 5),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(512, 10),
        ],
        (64, 1, 28, 28),
        sgd,
    ),
    "transformer": transformer,
    "per_example_gradients": per_example,
    **{f"add/{n}": on(n, lambda x: x + x) for n in SIZES},
    **{f"exp/{n}": on(n, torch.exp) for n in SIZES},
    **{f"sum/{n}": on(n, torch.sum) for n in SIZES},
    **{f"nodes/{n}": lambda n=n: chain(n, True) for n in NODES},
    **{name: lambda product=product: matmul(*product) for name, product in PRODUCTS.items()},
}
run(works)
