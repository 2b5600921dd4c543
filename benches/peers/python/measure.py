"""What the runners in Python share: the numbers that works start from, the clock, and what they print.

`measure/src/lib.rs` is the same in Rust and says more.
"""

import ctypes
import os
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


def polynomial(x):
    """Six operations, one after the other where nothing makes them one."""
    return ((x * 2 + 1) * x - 0.5) * x + 0.25


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
    """The most memory that the process has held since its peak was forgotten, in bytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


def forget_peak():
    # What has been freed already is no part of what is held.
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")


def measure(name, call, per=1):
    """The median time of one of the `per` operations of a call in nanoseconds, the check of the third result, and what
    the calls needed above what the process held before, in bytes."""
    forget_peak()
    held = peak()
    call()
    call()
    third = call()
    needed = peak() - held
    value = check(third)
    del third
    times, start = [], time.perf_counter()
    while time.perf_counter() - start < TIME or len(times) < 5:
        before = time.perf_counter()
        call()
        times.append(time.perf_counter() - before)
    times.sort()
    print(name, times[len(times) // 2] / per * 1e9, value, needed, flush=True)


def do(name, work):
    made = work()
    call, per = made if isinstance(made, tuple) else (made, 1)
    if name == "first_call":
        print(name, 0, check(call()), peak(), flush=True)
    else:
        measure(name, call, per)


def run(works):
    """Does what the command line names, each work in a process of its own: so its memory is its own too. A work is a
    function that makes a call, or the two of a call and its parts."""
    names = [name for name in sys.argv[1:] if name in works]
    if len(names) == 1:
        return do(names[0], works[names[0]])
    for name in names:
        # What is imported need not be imported again.
        child = os.fork()
        if not child:
            do(name, works[name])
            sys.stdout.flush()
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            sys.exit(f"{name} fails")
