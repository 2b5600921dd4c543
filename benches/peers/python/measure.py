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


# name: (m, k, n)
MATMULS = {f"matmul_{n}": (n, n, n) for n in [32, 64, 128, 256, 512, 1024, 2048]}
MATMULS["matmul_64_784_128"] = (64, 784, 128)
OPS = 1000
