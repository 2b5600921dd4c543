"""Runs the same works on this library and its peers in turn, and writes one table of times and ratios, one of memory.

    python benches/peers/compare.py --peers numpy,torch,jax                 the whole table, one thread
    python benches/peers/compare.py --threads 1,2 cnn                       one work, one thread and two, what is there
    python benches/peers/compare.py --results results.jsonl products        a group of works, kept in a file
    python benches/peers/compare.py --from results.jsonl                    the tables of what is kept, without a run

It needs Linux, cargo, and for the peers in Python `pip install numpy torch "jax[cpu]"`. Peers in Rust are compiled when
`--peers` names them: dfdx for half a minute, candle and burn for many. Peers take turns, several rounds long, since a
machine's speed drifts: the table has the median of each peer's rounds, and ratios are between medians. All peers start
from the same numbers, and a work whose results differ from this library's is an error.
"""

import argparse
import collections
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

from python.sizes import NODES, SIZES

HERE = pathlib.Path(__file__).parent
CORES = sorted(os.sched_getaffinity(0))
OURS = "shapeproof"
PYTHON = ["numpy", "torch", "jax"]
RUST = ["dfdx", "candle", "burn"]

# What a first call takes is counted from the start of a process.
FIRST = "first_call"

# Peers add in different orders; this is far above what that changes, and far below what another formula would.
TOLERANCE = 1e-3

# A process that has not ended by then hangs.
PATIENCE = 600

# Less than this is lost in what a process holds anyway.
MEMORY = 1 << 20

# A work is shown in the table of two threads if they change its time by this part.
CHANGE = 0.05

# What a work is, and what it does: floating-point operations (GFLOP/s) or bytes (GB/s), where that says something.
# Times are in nanoseconds, memory in bytes.
N2, N16 = 1 << 20, 1 << 24
# Products alone, for 512 tokens of width 128: 12 of 128×128 a token, 2 of 64×128 in its attention; backward is twice that.
BLOCK = 3 * 2 * 512 * (12 * 128 * 128 + 2 * 64 * 128)
# Rates of products are parts of this one. `shapeproof/src/machine.rs` says how many they are.
PEAK = "multiply_adds"
GROUPS = {
    "products": {
        PEAK: ("multiply and add in registers: the peak", "flop", 2 * (12 << 18)),
        **{f"matmul_{n}": (f"product, {n}²", "flop", 2 * n**3) for n in [32, 64, 128, 256, 512, 1024, 2048]},
        "matmul_64_784_128": ("product, 64×784×128", "flop", 2 * 64 * 784 * 128),
        "matmul_nt_512": ("product A·Bᵀ, 512²", "flop", 2 * 512**3),
        "matmul_tn_512": ("product Aᵀ·B, 512²", "flop", 2 * 512**3),
        "matmul_vector_1024": ("matrix and vector, 1024", "byte", 4 * N2),
        "batch_64_16": ("64 products, 16²", "flop", 64 * 2 * 16**3),
    },
    "more_products": {
        **{f"matmul_nt_{n}": (f"product A·Bᵀ, {n}²", "flop", 2 * n**3) for n in [256, 1024]},
        **{f"matmul_tn_{n}": (f"product Aᵀ·B, {n}²", "flop", 2 * n**3) for n in [256, 1024]},
        **{
            f"matmul_nt_{m}_{k}_{n}": (f"product A·Bᵀ, {m}×{k}×{n}", "flop", 2 * m * k * n)
            for m, k, n in [(64, 784, 128), (128, 784, 512), (128, 512, 10), (32, 2, 16), (32, 16, 16), (32, 16, 1)]
        },
        "matmul_64_128_784": ("product, 64×128×784", "flop", 2 * 64 * 784 * 128),
        "matmul_tn_128_64_784": ("product Aᵀ·B, 128×64×784", "flop", 2 * 64 * 784 * 128),
        "vector_matmul_1024": ("vector and matrix, 1024", "byte", 4 * N2),
        "batch_32_64_32_64": ("32 products, 64×32×64", "flop", 32 * 2 * 64 * 32 * 64),
    },
    "elementwise": {
        "add_1m": ("add, 1M", "byte", 12 * N2),
        "mul_1m": ("mul, 1M", "byte", 12 * N2),
        "row_1m": ("add a row, 1M", "byte", 8 * N2),
        "relu_1m": ("relu, 1M", "byte", 8 * N2),
        "exp_1m": ("exp, 1M", "byte", 8 * N2),
        "tanh_1m": ("tanh, 1M", "byte", 8 * N2),
        "sigmoid_1m": ("sigmoid, 1M", "byte", 8 * N2),
    },
    "rows": {
        "softmax_1m": ("softmax of rows, 1024²", "byte", 8 * N2),
        "layer_norm_1m": ("layer norm of rows, 1024²", "byte", 8 * N2),
        "sum_1m": ("sum, 1M", "byte", 4 * N2),
        "sum_rows_1m": ("sum over axis 0, 1024²", "byte", 4 * N2),
        "sum_last_1m": ("sum over the last axis, 1024²", "byte", 4 * N2),
        "softmax_grad_1m": ("softmax of rows, 1024², and backward", None, 0),
        "log_softmax_grad_1m": ("log softmax of rows, 1024², and backward", None, 0),
        "layer_norm_grad_1m": ("layer norm of rows, 1024², and backward", None, 0),
        "cross_entropy_grad_1m": ("cross-entropy of rows, 1024², and backward", None, 0),
    },
    "large": {
        "copy_16m": ("copy to a ready array, 16M: one read and one write", "byte", 8 * N16),
        "fused_6_16m": ("((2x + 1)·x − ½)·x + ¼, 16M", "byte", 8 * N16),
        "add_16m": ("add, 16M", "byte", 12 * N16),
        "relu_16m": ("relu, 16M", "byte", 8 * N16),
        "exp_16m": ("exp, 16M", "byte", 8 * N16),
        "tanh_16m": ("tanh, 16M", "byte", 8 * N16),
        "sigmoid_16m": ("sigmoid, 16M", "byte", 8 * N16),
        "sum_16m": ("sum, 16M", "byte", 4 * N16),
        "sum_rows_16m": ("sum over axis 0, 4096²", "byte", 4 * N16),
        "softmax_16m": ("softmax of rows, 4096²", "byte", 8 * N16),
    },
    "graph": {
        "chain_32": ("recorded add of 32, with backward, per op", None, 0),
        "chain_32_plain": ("the same without gradients", None, 0),
        "deep_200_512": ("200 products of 512², forward and backward", "flop", 200 * 3 * 2 * 512**3),
        FIRST: ("process start to the first step of 2-16-16-1", None, 0),
    },
    "models": {
        "mlp_tiny_sgd": ("2-16-16-1, batch 32, SGD step", None, 0),
        "mlp_tiny": ("2-16-16-1, batch 32, Adam step", None, 0),
        "mlp_784_128_10": ("784-128-10, batch 64, Adam step", None, 0),
        "mlp_784_512_512_10": ("784-512-512-10, batch 128, Adam step", None, 0),
        "cnn": ("small CNN, batch 64, SGD step", None, 0),
        "transformer": ("transformer block, 8×64×128, forward and backward", "flop", BLOCK),
        "per_example_gradients": ("784-128-10, 64 gradients, one an example", None, 0),
    },
    "scaling": {
        **{
            f"{function}/{size}": (f"{function}, {size:,} elements", "byte", bytes_each * size)
            for function, bytes_each in [("add", 12), ("exp", 8), ("sum", 4)]
            for size in SIZES
        },
        **{f"nodes/{nodes}": (f"recorded add of 32, one of {nodes:,}, with backward", None, 0) for nodes in NODES},
    },
}
WORKS = {name: work for group in GROUPS.values() for name, work in group.items()}


def manifest(name):
    """This library's runner is in the workspace of the comparison, peers' are in their own: they take long to compile."""
    return ["--manifest-path", str(HERE / ("" if name == OURS else name) / "Cargo.toml")]


def built(name):
    """The runner in Rust of this name, built anew."""
    subprocess.run(["cargo", "build", "--release", "--quiet", "--package", f"peer-{name}", *manifest(name)], check=True)
    return [binary(name)]


def binary(name):
    metadata = ["cargo", "metadata", "--format-version", "1", "--no-deps", *manifest(name)]
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
    if len(CORES) < threads:
        sys.exit(f"{threads} threads need as many cores, there are {len(CORES)}")
    os.sched_setaffinity(0, CORES[-threads:])
    names = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS", "THREADS"]
    os.environ.update(dict.fromkeys(names, str(threads)))


def run(command, works):
    """The time of each work that the peer knows, its check, and the memory it needs."""
    for part in [[work for work in works if work != FIRST], [work for work in works if work == FIRST]]:
        # Without a work, a runner would start for nothing.
        if not part:
            continue
        start = time.perf_counter()
        with subprocess.Popen([*command, *part], stdout=subprocess.PIPE, text=True) as process:
            hang = threading.Timer(PATIENCE, process.kill)
            hang.start()
            try:
                for line in process.stdout:
                    elapsed = (time.perf_counter() - start) * 1e9
                    name, *numbers = line.split()
                    value, check, memory = map(float, numbers)
                    yield name, elapsed if name == FIRST else value, check, memory
            finally:
                hang.cancel()
        if process.returncode:
            sys.exit(f"{command[-1]} ends with code {process.returncode}")


def rounds(peers, works, threads, number):
    """Each result of each round, as it comes. Peers, and numbers of threads, take turns."""
    checks = {}
    for turn in range(number):
        print(f"round {turn + 1} of {number}", file=sys.stderr)
        for peer, command in peers.items():
            for count in threads:
                confine(count)
                for work, value, check, memory in run(command, works):
                    # This library comes first.
                    ours = checks.setdefault(work, check)
                    if not math.isclose(ours, check, rel_tol=TOLERANCE):
                        sys.exit(f"{work}: {OURS} gets {ours}, {peer} {check}")
                    result = {"peer": peer, "work": work, "threads": count, "time": value, "memory": memory}
                    yield result | {"date": str(datetime.date.today()), "processor": processor()}


def processor():
    models = (line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name"))
    return next(models, platform.machine())


def kept(files):
    """What earlier runs have found."""
    results = [json.loads(line) for file in files for line in open(file)]
    if len({result["processor"] for result in results}) > 1:
        sys.exit("these results are of different processors")
    return results


def medians(results, what):
    """The median of all rounds, by threads, peer and work."""
    values = collections.defaultdict(list)
    for result in results:
        values[result["threads"], result["peer"], result["work"]].append(result[what])
    return {key: statistics.median(values) for key, values in values.items()}


def machine(results, threads):
    """When, on what and how results were found."""
    dates = span({result["date"] for result in results})
    own = [(result["work"], result["threads"]) for result in results if result["peer"] == OURS]
    number = span(set(collections.Counter(own).values()))
    rounds = f"{number} round{'' if number == '1' else 's'}"
    return f"{dates}, {results[0]['processor']}, {threads} thread{'s' if threads > 1 else ''}; medians of {rounds}."


def span(values):
    """From the least to the greatest."""
    return " to ".join(str(value) for value in dict.fromkeys([min(values), max(values)]))


def shown(nanoseconds):
    for unit, size in [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]:
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def rows(head, lines):
    """A table in Markdown."""
    cells = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


def table_of_times(works, peers, threads, times):
    """On more than one thread: of the works whose time that changes, with the time of one thread."""
    columns = {peer: (threads, peer) for peer in peers if peer != OURS}
    if any(count == 1 for count, *_ in times) and threads > 1:
        columns = {f"{OURS}, 1 thread": (1, OURS), **columns}
        differ = lambda work: abs(times.get((1, OURS, work), 0) / times[threads, OURS, work] - 1) > CHANGE
        works = [work for work in works if differ(work)]
    lines = []
    for work in works:
        title, kind, amount = WORKS[work]
        ours = times[threads, OURS, work]
        rate = f"{amount / ours:.0f} {'GFLOP/s' if kind == 'flop' else 'GB/s'}" if amount else ""
        if kind == "flop" and work != PEAK and (peak := times.get((threads, OURS, PEAK))):
            rate += f", {amount / ours * peak / WORKS[PEAK][2]:.2f} of peak"
        others = [times.get((*column, work)) for column in columns.values()]
        cells = [f"{shown(other)} ({other / ours:.2f})" if other else "" for other in others]
        lines.append([title, shown(ours), rate, *cells])
    return rows(["work", OURS, "rate", *columns], lines)


def table_of_memory(works, peers, threads, memory):
    lines = []
    for work in works:
        needed = [memory.get((threads, peer, work)) for peer in peers]
        lines.append([WORKS[work][0], *("" if one is None else f"{one / 2**20:.0f}" for one in needed)])
    return rows(["peak memory, MiB", *peers], lines)


def report(works, results):
    """The tables of each number of threads."""
    times, memory = medians(results, "time"), medians(results, "memory")
    for threads in sorted({result["threads"] for result in results}):
        peers = [peer for peer in [OURS, *PYTHON, *RUST] if any(key[:2] == (threads, peer) for key in times)]
        done = [work for work in works if (threads, OURS, work) in times]
        print(machine(results, threads), "In brackets: how many times as long as this library.\n")
        print(table_of_times(done, peers, threads, times), end="\n\n")
        if needs := [work for work in done if memory[threads, OURS, work] >= MEMORY]:
            print("Peak memory: what calls need above inputs and parameters; of a first step, the whole process.\n")
            print(table_of_memory(needs, peers, threads, memory), end="\n\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "works", nargs="*", help=f"some of {', '.join(GROUPS)} or of the works in them; all but scaling"
    )
    parser.add_argument(
        "--peers", help=f"some of {','.join(PYTHON + RUST)}; otherwise those that are installed or built"
    )
    parser.add_argument("--threads", default="1", help="how many, or several numbers: 1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", metavar="FILE", help="add each result to this file at once")
    parser.add_argument(
        "--from", dest="files", metavar="FILE", nargs="+", help="run nothing: show what these files keep"
    )
    arguments = parser.parse_args()
    named = arguments.works or [group for group in GROUPS if group != "scaling"]
    works = [work for name in named for work in GROUPS.get(name, [name])]
    unknown = [work for work in works if work not in WORKS]
    if unknown:
        parser.error(f"no such work: {', '.join(unknown)}")
    if arguments.files:
        return report(works, kept(arguments.files))
    peers = commands(arguments.peers)
    results = []
    with open(arguments.results or os.devnull, "a") as file:
        for result in rounds(peers, works, [int(count) for count in arguments.threads.split(",")], arguments.rounds):
            results.append(result)
            print(json.dumps(result), file=file, flush=True)
    report(works, results)


if __name__ == "__main__":
    main()
