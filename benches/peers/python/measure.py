"""What the runners in Python share: the numbers that works start from, the clock, and what they print.

`measure/src/lib.rs` is the same in Rust and says more.
"""

import sys
import time

import numpy as np

TIME = 0.3
LOOKS = 4096

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
SIZES = [1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000, 4_000_000, 16_000_000]
NODES = [10, 100, 1_000, 10_000, 100_000]


def numbers(seed, shape, scale=1.0):
    """Numbers between -√3 and √3 times `scale`, the same for every peer."""
    h = np.arange(np.prod(shape, dtype=int), dtype=np.uint32) + np.uint32(seed * 0x9E3779B9 & 0xFFFFFFFF)
    h = (h ^ (h >> 16)) * np.uint32(0x21F0AAAD)
    h = (h ^ (h >> 15)) * np.uint32(0x735A2D97)
    h ^= h >> 15
    exact = (h >> 8).astype(np.float32) / np.float32(1 << 23) - np.float32(1)
    return (exact * (np.float32(scale) * np.sqrt(np.float32(3)))).reshape(shape)


def weight(seed, outputs, inputs):
    return numbers(seed, (outputs, inputs), 1 / np.sqrt(np.float32(inputs)))


def check(result):
    """One number that says where and how large the numbers of a result are; of several results, all after another."""
    parts = result if isinstance(result, tuple) else (result,)
    values = np.concatenate([np.asarray(part, np.float64).ravel() for part in parts])
    looks = values[:: len(values) // LOOKS | 1]
    return float(looks @ numbers(0xFFFFFFFF, looks.shape).astype(np.float64))


def peak():
    """The most memory that the process has held so far, in bytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


def memory(name, call):
    """What a call needs above what the process held before, in bytes."""
    before = peak()
    call()
    print(name, peak() - before, flush=True)


def measure(name, call, per=1):
    """The median time of one of the `per` operations of a call, in nanoseconds, and the check of the third result."""
    call()
    call()
    value = check(call())
    times, start = [], time.perf_counter()
    while time.perf_counter() - start < TIME or len(times) < 5:
        before = time.perf_counter()
        call()
        times.append(time.perf_counter() - before)
    times.sort()
    print(name, times[len(times) // 2] / per * 1e9, value, flush=True)


def run(works):
    """Runs what the command line names. A work is a function that makes a call, or the two of a call and its parts."""
    for name in sys.argv[1:]:
        if name not in works:
            continue
        made = works[name]()
        call, per = made if isinstance(made, tuple) else (made, 1)
        if name == "memory_200_512":
            memory(name, call)
        elif name == "first_call":
            print(name, 0, check(call()), flush=True)
        else:
            measure(name, call, per)
