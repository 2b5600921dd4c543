"""Times the works that a peer knows, and prints the median of each in nanoseconds."""

import sys
import time

TIME = 0.3


def peak():
    """The most memory that the process has held so far, in bytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


def memory(make):
    """What a call needs above what the process held before, in bytes."""
    call, _ = make()
    before = peak()
    call()
    print("memory_200_512", peak() - before, flush=True)


def run(works):
    if "memory_200_512" in sys.argv and "deep_200_512" in works:
        memory(works["deep_200_512"])
    for name in sys.argv[1:]:
        if name not in works:
            continue
        call, per = works[name]()
        for _ in range(3):
            call()
        times, start = [], time.perf_counter()
        while time.perf_counter() - start < TIME or len(times) < 5:
            before = time.perf_counter()
            call()
            times.append(time.perf_counter() - before)
        times.sort()
        print(name, int(times[len(times) // 2] / per * 1e9), flush=True)


# The name of a product: which operand is a transpose ("nt": the right one), and the operands' shapes as they lie.
PRODUCTS = {f"matmul_{n}": ("nn", (n, n), (n, n)) for n in [32, 64, 128, 256, 512, 1024, 2048]}
for layout in ["nt", "tn"]:
    for n in [256, 512, 1024]:
        PRODUCTS[f"matmul_{layout}_{n}"] = (layout, (n, n), (n, n))
# Layers forward, and the gradients of the first one's input and weight.
for m, k, n in [(64, 784, 128), (128, 784, 512), (128, 512, 10), (32, 2, 16), (32, 16, 16), (32, 16, 1)]:
    PRODUCTS[f"matmul_nt_{m}_{k}_{n}"] = ("nt", (m, k), (n, k))
PRODUCTS["matmul_64_784_128"] = ("nn", (64, 784), (784, 128))
PRODUCTS["matmul_64_128_784"] = ("nn", (64, 128), (128, 784))
PRODUCTS["matmul_tn_128_64_784"] = ("tn", (64, 128), (64, 784))
PRODUCTS["matmul_vector_1024"] = ("nn", (1024, 1024), (1024,))
PRODUCTS["vector_matmul_1024"] = ("nn", (1024,), (1024, 1024))
PRODUCTS["batch_64_16"] = ("nn", (64, 16, 16), (64, 16, 16))
PRODUCTS["batch_32_64_32_64"] = ("nn", (32, 64, 32), (32, 32, 64))
FORMS = {"nn": lambda a, b: a @ b, "nt": lambda a, b: a @ b.T, "tn": lambda a, b: a.T @ b}
OPS = 1000
