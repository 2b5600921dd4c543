"""Measures what a user waits for: a clean build of a small program, and one after a line of its model has changed.

    python benches/peers/builds.py                      this library, with its default features and without
    python benches/peers/builds.py shapeproof dfdx      and a peer; candle is another, and takes many minutes

The program, in `user/`, trains a small model. Each library gets a new project with a target directory of its own, and
everything is fetched before the clock starts: this library as it was last committed, since Cargo builds what it has
fetched otherwise than what lies beside the project. Nothing else should run meanwhile.
"""

import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from compare import HERE, rows

LIBRARY = HERE.parent.parent.resolve()

# The program of a library, and what it asks of Cargo.
LIBRARIES = {
    "shapeproof": ("shapeproof", f'shapeproof = {{ git = "{LIBRARY.as_uri()}" }}'),
    "shapeproof, no features": ("shapeproof", f'shapeproof = {{ git = "{LIBRARY.as_uri()}", default-features = false }}'),
    "dfdx": ("dfdx", 'dfdx = "0.13"'),
    "candle": ("candle", 'candle-core = "0.11"\ncandle-nn = "0.11"'),
}
LINE = "const HIDDEN: usize = {};"
CHANGES = [17, 18, 19]


def cargo(project, *arguments):
    command = ["cargo", *arguments, "--quiet", "--target-dir", str(project / "target")]
    start = time.perf_counter()
    subprocess.run(command, cwd=project, check=True)
    return time.perf_counter() - start


def measured(name):
    """Crates besides the program, then seconds: clean builds and rebuilds, for debugging and for release."""
    program, dependencies = LIBRARIES[name]
    source = (HERE / "user" / f"{program}.rs").read_text()
    with tempfile.TemporaryDirectory() as directory:
        project = pathlib.Path(directory)
        package = f'[package]\nname = "user"\nversion = "0.0.0"\nedition = "2024"\n\n[dependencies]\n{dependencies}\n'
        (project / "Cargo.toml").write_text(package)
        shutil.copy(LIBRARY / "rust-toolchain.toml", project)
        (project / "src").mkdir()
        (project / "src/main.rs").write_text(source)
        subprocess.run(["cargo", "fetch", "--quiet"], cwd=project, check=True)
        tree = ["cargo", "tree", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]
        output = subprocess.run(tree, cwd=project, check=True, capture_output=True, text=True).stdout
        crates = {line.removesuffix(" (*)") for line in output.splitlines() if line} - {f"user v0.0.0 ({project})"}
        cells = [name, str(len(crates))]
        for profile in [[], ["--release"]]:
            clean = cargo(project, "build", *profile)
            times = []
            for size in CHANGES:
                (project / "src/main.rs").write_text(source.replace(LINE.format(16), LINE.format(size)))
                times.append(cargo(project, "build", *profile))
            cells += [f"{clean:.1f} s", f"{statistics.median(times):.2f} s"]
        return cells


def main():
    names = sys.argv[1:] or ["shapeproof", "shapeproof, no features"]
    unknown = [name for name in names if name not in LIBRARIES]
    if unknown:
        sys.exit(f"no such library: {', '.join(unknown)}; there are {', '.join(LIBRARIES)}")
    head = ["library", "crates", "clean build", "one line changed", "release: clean build", "one line changed"]
    print(rows(head, [measured(name) for name in names]))


if __name__ == "__main__":
    main()
