"""Runs the same works on this library and its peers in turn, and writes one table of times and ratios.

    python benches/peers/compare.py --peers numpy,torch,jax     the whole table, one thread
    python benches/peers/compare.py --threads 2 cnn                         one work, two threads, what is there

It needs Linux, cargo, and for the peers in Python `pip install numpy torch "jax[cpu]"`. Peers take turns, several rounds long, since a machine's speed drifts: the table has the median of
each peer's rounds, and ratios are between medians of one run. All peers start from the same numbers, and a work whose
results differ from this library's is an error.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import threading
import time

HERE = pathlib.Path(__file__).parent
OURS = "shapeproof"
PYTHON = ["numpy", "torch", "jax"]
RUST = []

# Works that a process does alone: memory is that of one which has done nothing else, and what a first call takes is
# counted from the start of one.
MEMORY, FIRST = "memory_200_512", "first_call"

# Peers add in different orders; this is far above what that changes, and far below what another formula would.
TOLERANCE = 1e-3

# A process that has not ended by then hangs.
PATIENCE = 600

# What a work is, and what it does: floating-point operations (GFLOP/s) or bytes (GB/s), where that says something.
# Times are in nanoseconds, memory in bytes.
N2, N16 = 1 << 20, 1 << 24
# Products alone, for 512 tokens of width 128: 12 of 128×128 a token, 2 of 64×128 in its attention; backward is twice that.
BLOCK = 3 * 2 * 512 * (12 * 128 * 128 + 2 * 64 * 128)
WORKS = {
    **{f"matmul_{n}": (f"product, {n}²", "flop", 2 * n**3) for n in [32, 64, 128, 256, 512, 1024, 2048]},
    **{f"matmul_nt_{n}": (f"product A·Bᵀ, {n}²", "flop", 2 * n**3) for n in [256, 512, 1024]},
    **{f"matmul_tn_{n}": (f"product Aᵀ·B, {n}²", "flop", 2 * n**3) for n in [256, 512, 1024]},
    **{
        f"matmul_nt_{m}_{k}_{n}": (f"product A·Bᵀ, {m}×{k}×{n}", "flop", 2 * m * k * n)
        for m, k, n in [(64, 784, 128), (128, 784, 512), (128, 512, 10), (32, 2, 16), (32, 16, 16), (32, 16, 1)]
    },
    "matmul_64_784_128": ("product, 64×784×128", "flop", 2 * 64 * 784 * 128),
    "matmul_64_128_784": ("product, 64×128×784", "flop", 2 * 64 * 784 * 128),
    "matmul_tn_128_64_784": ("product Aᵀ·B, 128×64×784", "flop", 2 * 64 * 784 * 128),
    "matmul_vector_1024": ("matrix and vector, 1024", "byte", 4 * N2),
    "vector_matmul_1024": ("vector and matrix, 1024", "byte", 4 * N2),
    "batch_64_16": ("64 products, 16²", "flop", 64 * 2 * 16**3),
    "batch_32_64_32_64": ("32 products, 64×32×64", "flop", 32 * 2 * 64 * 32 * 64),
    "add_1m": ("add, 1M", "byte", 12 * N2),
    "mul_1m": ("mul, 1M", "byte", 12 * N2),
    "row_1m": ("add a row, 1M", "byte", 8 * N2),
    "relu_1m": ("relu, 1M", "byte", 8 * N2),
    "exp_1m": ("exp, 1M", "byte", 8 * N2),
    "tanh_1m": ("tanh, 1M", "byte", 8 * N2),
    "sigmoid_1m": ("sigmoid, 1M", "byte", 8 * N2),
    "softmax_1m": ("softmax of rows, 1024²", "byte", 8 * N2),
    "sum_1m": ("sum, 1M", "byte", 4 * N2),
    "sum_rows_1m": ("sum over axis 0, 1024²", "byte", 4 * N2),
    "sum_last_1m": ("sum over the last axis, 1024²", "byte", 4 * N2),
    "layer_norm_1m": ("layer norm of rows, 1024²", "byte", 8 * N2),
    "softmax_grad_1m": ("softmax of rows, 1024², and backward", None, 0),
    "log_softmax_grad_1m": ("log softmax of rows, 1024², and backward", None, 0),
    "layer_norm_grad_1m": ("layer norm of rows, 1024², and backward", None, 0),
    "cross_entropy_grad_1m": ("cross-entropy of rows, 1024², and backward", None, 0),
    "add_16m": ("add, 16M", "byte", 12 * N16),
    "relu_16m": ("relu, 16M", "byte", 8 * N16),
    "exp_16m": ("exp, 16M", "byte", 8 * N16),
    "tanh_16m": ("tanh, 16M", "byte", 8 * N16),
    "sigmoid_16m": ("sigmoid, 16M", "byte", 8 * N16),
    "sum_16m": ("sum, 16M", "byte", 4 * N16),
    "sum_rows_16m": ("sum over axis 0, 4096²", "byte", 4 * N16),
    "softmax_16m": ("softmax of rows, 4096²", "byte", 8 * N16),
    "chain_32": ("recorded add of 32, with backward, per op", None, 0),
    "chain_32_plain": ("the same without gradients", None, 0),
    "deep_200_512": ("200 products of 512², forward and backward", "flop", 200 * 3 * 2 * 512**3),
    MEMORY: ("the same: peak memory, 200 gradients of 1 MiB with it", "memory", 0),
    FIRST: ("process start to the first step of 2-16-16-1", None, 0),
    "mlp_tiny": ("2-16-16-1, batch 32, Adam step", None, 0),
    "mlp_784_128_10": ("784-128-10, batch 64, Adam step", None, 0),
    "mlp_784_512_512_10": ("784-512-512-10, batch 128, Adam step", None, 0),
    "cnn": ("small CNN, batch 64, SGD step", None, 0),
    "transformer": ("transformer block, 8×64×128, forward and backward", "flop", BLOCK),
    "per_example_gradients": ("784-128-10, 64 gradients, one an example", None, 0),
}


def built(name):
    """The runner in Rust of this name, built anew."""
    manifest = ["--manifest-path", str(HERE / "Cargo.toml")]
    subprocess.run(["cargo", "build", "--release", "--quiet", "--package", f"peer-{name}", *manifest], check=True)
    return [binary(name)]


def binary(name):
    metadata = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--manifest-path", str(HERE / "Cargo.toml")]
    output = subprocess.run(metadata, check=True, capture_output=True, text=True).stdout
    return f"{json.loads(output)['target_directory']}/release/peer-{name}"


def installed(name):
    return subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True).returncode == 0


def commands(peers):
    """The command line of this library's runner, and of each peer that is named; if none is, of each that is there."""
    asked = PYTHON + RUST if peers is None else peers.split(",")
    found = {OURS: built(OURS)}
    for name in asked:
        if name not in PYTHON + RUST:
            sys.exit(f"no such peer: {name}")
        if name in RUST and (peers or os.path.exists(binary(name))):
            found[name] = built(name)
        elif name in PYTHON and installed(name):
            found[name] = [sys.executable, str(HERE / "python" / f"with_{name}.py")]
        elif peers:
            sys.exit(f"{name} is not installed")
        else:
            print(f"{name} is not there: left out", file=sys.stderr)
    return found


def confine(threads):
    """Leaves this process, and so all that it starts, as many cores as there are threads."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < threads:
        sys.exit(f"{threads} threads need as many cores, there are {len(cores)}")
    os.sched_setaffinity(0, cores[-threads:])
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "THREADS"]
    os.environ.update(dict.fromkeys(names, str(threads)))


def run(command, works):
    """For each work that the peer knows its time or memory, and its check if it has one."""
    alone = [[work] for work in works if work in (MEMORY, FIRST)]
    results = {}
    for part in [[work for work in works if [work] not in alone], *alone]:
        start = time.perf_counter()
        with subprocess.Popen([*command, *part], stdout=subprocess.PIPE, text=True) as process:
            hang = threading.Timer(PATIENCE, process.kill)
            hang.start()
            for line in process.stdout:
                elapsed = (time.perf_counter() - start) * 1e9
                name, value, *check = line.split()
                results[name] = elapsed if name == FIRST else float(value), *map(float, check)
            hang.cancel()
        if process.returncode:
            sys.exit(f"{command[-1]} ends with code {process.returncode}")
    return results


def rounds(peers, works, number):
    """The values of all rounds, by peer and work. Peers take turns."""
    values = {peer: {} for peer in peers}
    checks = {}
    for turn in range(number):
        print(f"round {turn + 1} of {number}", file=sys.stderr)
        for peer, command in peers.items():
            for work, (value, *check) in run(command, works).items():
                values[peer].setdefault(work, []).append(value)
                # This library comes first.
                ours = checks.setdefault(work, check)
                if not all(map(lambda a, b: math.isclose(a, b, rel_tol=TOLERANCE), ours, check)):
                    sys.exit(f"{work}: {OURS} gets {ours[0]}, {peer} {check[0]}")
    return values


def machine(threads, number):
    """When, on what and how times were taken."""
    models = (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    processor, plural = next(models, platform.machine()), "s" if threads > 1 else ""
    return f"{datetime.date.today()}, {processor}, {threads} thread{plural}; medians of {number} rounds."


def shown(nanoseconds, kind):
    if kind == "memory":
        return f"{nanoseconds / 2**20:.0f} MiB"
    for unit, size in [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]:
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def table(works, peers, times):
    others = [peer for peer in peers if peer != OURS]
    lines = [f"| work | {OURS} | rate | " + " | ".join(others) + " |", "|---" * (3 + len(others)) + "|"]
    for work in works:
        title, kind, amount = WORKS[work]
        ours = statistics.median(times[OURS][work])
        rate = f"{amount / ours:.0f} {'GFLOP/s' if kind == 'flop' else 'GB/s'}" if amount else ""
        cells = []
        for peer in others:
            own = times[peer].get(work)
            value = statistics.median(own) if own else 0
            cells.append(f"{shown(value, kind)} ({value / ours:.2f})" if own else "")
        lines.append(f"| {title} | {shown(ours, kind)} | {rate} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("works", nargs="*", help=f"some of {', '.join(WORKS)}")
    parser.add_argument("--peers", help=f"some of {','.join(PYTHON + RUST)}; otherwise those that are installed or built")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    works = arguments.works or list(WORKS)
    unknown = [work for work in works if work not in WORKS]
    if unknown:
        parser.error(f"no such work: {', '.join(unknown)}")
    peers = commands(arguments.peers)
    confine(arguments.threads)
    values = rounds(peers, works, arguments.rounds)
    print(machine(arguments.threads, arguments.rounds), "In brackets: how many times as long as this library.\n")
    print(table(works, list(peers), values))


if __name__ == "__main__":
    main()
