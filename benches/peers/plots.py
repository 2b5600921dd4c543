"""Draws how cost grows with size, of results that `compare.py scaling --results FILE` has kept.

    python benches/peers/plots.py FILE...

Two pictures in `plots/`: the time of one element, from sizes that fit into the first cache to ones that fit into none,
and the time of one node of a graph. Caches are those of the machine that draws. Needs `pip install matplotlib`.
"""

import pathlib
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

from compare import OURS, PYTHON, RUST, kept, medians, span
from python.sizes import NODES, SIZES

PLOTS = pathlib.Path(__file__).parent / "plots"
CACHES = pathlib.Path("/sys/devices/system/cpu/cpu0/cache")

# What a function touches for each element: its input, and its result if that is as large.
FUNCTIONS = {"add": ("x + x", 8), "exp": ("exp(x)", 8), "sum": ("sum of x", 4)}

COLOURS = {
    OURS: "#c1272d",
    "numpy": "#4d77cf",
    "torch": "#e08a1e",
    "jax": "#3c9d6b",
    "dfdx": "#8d5bb8",
    "candle": "#777777",
    "burn": "#8a6a4f",
}


def caches():
    """How many bytes each level holds."""
    sizes = {}
    for cache in sorted(CACHES.glob("index*")):
        level, kind, size = ((cache / part).read_text().strip() for part in ["level", "type", "size"])
        if kind != "Instruction":
            sizes[f"L{level}"] = int(size[:-1]) << {"K": 10, "M": 20}[size[-1]]
    return sizes


def lines(axes, times, kind, sizes, per):
    """One line for each peer that has the works `kind/size`; a work's time is that of `per(size)` things."""
    for peer in [*PYTHON, *RUST, OURS]:
        own = [
            (size, times[1, peer, f"{kind}/{size}"] / per(size))
            for size in sizes
            if (1, peer, f"{kind}/{size}") in times
        ]
        if own:
            bold = 2.4 if peer == OURS else 1.3
            axes.plot(*zip(*own), marker="o", markersize=1.6 * bold, linewidth=bold, color=COLOURS[peer], label=peer)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.minorticks_off()
    axes.grid(True, linewidth=0.5, color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)


def elements(times):
    figure, panels = plt.subplots(1, len(FUNCTIONS), figsize=(10, 3.8), sharey=True, layout="constrained")
    for axes, (function, (title, touched)) in zip(panels, FUNCTIONS.items()):
        lines(axes, times, function, SIZES, per=lambda size: size)
        for level, size in caches().items():
            axes.axvline(size / touched, linestyle=":", linewidth=1, color="#999999")
            axes.annotate(
                f"{level} ", (size / touched, 0.97), xycoords=("data", "axes fraction"), ha="right", color="#777777"
            )
        axes.set_title(title, pad=10)
        axes.set_xlabel("elements of f32")
    panels[0].set_ylabel("nanoseconds for one element")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="outside upper center", ncols=len(labels))
    return figure


def nodes(times):
    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    # Their time is that of one node already.
    lines(axes, times, "nodes", NODES, per=lambda _: 1)
    axes.set_xlabel("nodes of the graph, each an addition of 32 elements")
    axes.set_ylabel("nanoseconds for one node,\nforward and backward")
    axes.set_ylim(bottom=10)
    axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def main():
    results = kept(sys.argv[1:])
    times = medians(results, "time")
    # Words stay words, and pictures the same for the same results.
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": OURS, "font.family": "sans-serif", "font.size": 10})
    PLOTS.mkdir(exist_ok=True)
    dates = span({result["date"] for result in results})
    for draw in [elements, nodes]:
        figure = draw(times)
        figure.text(
            1, -0.01, f"{results[0]['processor']}, one thread, {dates}", ha="right", va="top", size=8, color="#777777"
        )
        figure.savefig(PLOTS / f"{draw.__name__}.svg", bbox_inches="tight", metadata={"Date": None})


if __name__ == "__main__":
    main()
