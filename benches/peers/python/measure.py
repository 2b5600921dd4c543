"""Times the works that a peer knows, and prints the median of each in nanoseconds."""

import sys
import time

TIME = 0.3


def run(works):
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
