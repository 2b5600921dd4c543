"""How fixtures are written: one JSON object a line, floats that read back exactly."""

import json
import math
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).parent / "fixtures"


def number(x):
    x = float(x)
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    return x  # json writes the shortest text that reads back as the same f64, at most 17 digits


def numbers(array):
    return [number(x) for x in np.asarray(array).ravel()]


def scales(array):
    """Sizes of error bounds: three digits are enough."""
    return [number(f"{float(x):.3g}") for x in np.asarray(array).ravel()]


def tensor(dims, array):
    return {"dims": list(dims), "data": numbers(array)}


def write(family, lines, check):
    path = FOLDER / f"{family}.json"
    if check:
        compare(path.name, json.loads(path.read_text()), lines)
        return
    text = ",\n".join(json.dumps(line, separators=(",", ":")) for line in lines)
    path.write_text(f"[\n{text}\n]\n")


def compare(where, old, new):
    """Another machine's libm may round differently: numbers may differ in their last digits."""
    if isinstance(old, float) and isinstance(new, float):
        assert math.isclose(old, new, rel_tol=1e-2 if "scale" in where else 1e-11, abs_tol=1e-13), where
    elif isinstance(old, list) and isinstance(new, list):
        assert len(old) == len(new), where
        for i, (a, b) in enumerate(zip(old, new)):
            compare(f"{where}[{i}]", a, b)
    elif isinstance(old, dict) and isinstance(new, dict):
        assert old.keys() == new.keys(), where
        for key in old:
            compare(f"{where}.{key}", old[key], new[key])
    else:
        assert old == new, where
