#!/usr/bin/env python3
"""Measures the overhead of `cryptable.ray.lookup` over `EvaluationKey.lookup`, and the gain of a second worker.

    make ray-overhead                                        # or, with other sizes,
    python3 crates/python/benchmarks/ray_overhead.py --files 64 --values 300

Tables of 4 bits on single values, at 128 bits of security, on a quiet machine of two cores or more. Five ways look the
same files up, and take turns: a process of one thread without Ray, two of them, one of two threads, Ray with one worker
of one thread, Ray with two. All are measured alike, by when the files of their results appeared: from the fourth to the
last, an uneven end included. What a way took beside that rate, which is its start (of Ray's own processes, too), is
told apart, and so is which processes kept how many cores busy meanwhile. The least time of each way counts; all are
printed. One line of JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cryptable
import numpy as np
from processor_time import Watch

MODULUS = 16

#: Results before the measured span: every worker is at work by then.
FIRST = 4


@dataclass(frozen=True)
class Run:
    """How a way went: seconds from its fourth result to its last, seconds of its start, and cores by who took them."""

    steady: float
    start: float
    cores: dict[str, float]


@dataclass(frozen=True)
class Inputs:
    """Files of ciphertexts, a key and a table, in a folder."""

    folder: Path
    secret: cryptable.SecretKey
    files: list[Path]
    clear: list[np.ndarray]
    table: np.ndarray

    @property
    def key(self) -> Path:
        return self.folder / "server.key"

    def wrong(self, results: Path) -> int:
        """Results that are wrong."""
        found = [self.secret.decrypt(cryptable.Ciphertext.load(results / file.name)) for file in self.files]
        return sum(int(np.count_nonzero(got != self.table[it])) for got, it in zip(found, self.clear, strict=True))


def make_inputs(folder: Path, files: int, values: int) -> Inputs:
    rng = np.random.default_rng(1)
    table = rng.integers(0, MODULUS, MODULUS)
    secret = cryptable.SecretKey.generate(cryptable.plan(table, engine="single", values=values))
    clear = [rng.integers(0, MODULUS, values) for _ in range(files)]
    made = Inputs(folder, secret, [folder / f"{index:03}.ct" for index in range(files)], clear, table)
    secret.save_evaluation_key(made.key, progress=False)
    for file, part in zip(made.files, clear, strict=True):
        secret.encrypt(part).save(file)
    np.save(folder / "table.npy", table)
    return made


def bare(folder: Path, results: Path, threads: int, files: Sequence[str]) -> None:
    """Does a worker's work, without Ray."""
    server = cryptable.EvaluationKey.open(folder / "server.key")
    table = server.prepare(np.load(folder / "table.npy"))
    for name in files:
        found = server.lookup(cryptable.Ciphertext.load(folder / name), table, threads=threads, progress=False)
        found.save(results / name)


def by_processes(inputs: Inputs, results: Path, *, processes: int, threads: int) -> None:
    """Processes of their own, each with its share of the files."""
    names = [file.name for file in inputs.files]
    command = [sys.executable, __file__, "--bare", str(inputs.folder), str(results), str(threads)]
    children = [subprocess.Popen([*command, *names[share::processes]]) for share in range(processes)]
    if any([child.wait() for child in children]):
        raise RuntimeError("a process failed")


def by_ray(inputs: Inputs, results: Path, *, workers: int) -> None:
    import cryptable.ray
    import ray
    import ray.data

    # Workers begin together: the start is told apart, and is not to reach into the measured span.
    ray.data.DataContext.get_current().wait_for_min_actors_s = 60
    options: dict[str, Any] = {"output": results, "workers": workers, "threads": 1, "progress": False}
    try:
        cryptable.ray.lookup(inputs.files, inputs.key, inputs.table, **options)
    finally:
        ray.shutdown()  # Its own processes are not to work beside the other ways.


WAYS: dict[str, Callable[[Inputs, Path], None]] = {
    "bare": lambda inputs, results: by_processes(inputs, results, processes=1, threads=1),
    "two_processes": lambda inputs, results: by_processes(inputs, results, processes=2, threads=1),
    "two_threads": lambda inputs, results: by_processes(inputs, results, processes=1, threads=2),
    "one_worker": lambda inputs, results: by_ray(inputs, results, workers=1),
    "two_workers": lambda inputs, results: by_ray(inputs, results, workers=2),
}


def measured(inputs: Inputs, way: Callable[[Inputs, Path], None], results: Path) -> Run:
    """A run of a way into an empty folder."""
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir()
    count = len(inputs.files)

    def there(at_least: int) -> bool:
        return sum(1 for _ in results.glob("*.ct")) >= at_least

    start = time.perf_counter()
    with Watch(lambda: there(FIRST), lambda: there(count)) as watch:
        way(inputs, results)
    whole = time.perf_counter() - start
    appeared = sorted((results / file.name).stat().st_mtime_ns for file in inputs.files)
    steady = (appeared[-1] - appeared[FIRST - 1]) / 1e9
    return Run(steady, whole - steady * count / (count - FIRST), watch.cores())


def measure(inputs: Inputs, turns: int) -> dict[str, Any]:
    load, wrong = os.getloadavg()[0], 0
    results = inputs.folder / "results"
    runs: dict[str, list[Run]] = {name: [] for name in WAYS}
    for _ in range(turns):
        for name, way in WAYS.items():
            runs[name].append(measured(inputs, way, results))
            wrong += inputs.wrong(results)
    best = {name: min(found, key=lambda run: run.steady) for name, found in runs.items()}
    values = sum(map(len, inputs.clear[FIRST:]))

    def processor_ms(run: Run) -> float:
        return 1e3 * run.cores.get("workers", float("nan")) * run.steady / values

    return {
        "files": len(inputs.files),
        "values_of_a_file": len(inputs.clear[0]),
        "wrong": wrong,
        "cores": os.cpu_count() or 1,
        "load_before": load,
        "steady_s": {name: [run.steady for run in found] for name, found in runs.items()},
        "start_s": {name: run.start for name, run in best.items()},
        "cores_busy": {name: run.cores for name, run in best.items()},
        "processor_ms_a_value": {name: processor_ms(run) for name, run in best.items()},
        "overhead": best["one_worker"].steady / best["bare"].steady - 1,
        "two_workers_over_one": best["one_worker"].steady / best["two_workers"].steady,
        "two_processes_over_one": best["bare"].steady / best["two_processes"].steady,
        "two_threads_over_one": best["bare"].steady / best["two_threads"].steady,
    }


def rounded(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: rounded(value) for name, value in found.items()}
    if isinstance(found, list):
        return [rounded(value) for value in found]
    return round(found, 4)


def main() -> None:
    if sys.argv[1:2] == ["--bare"]:
        folder, results, threads, *files = sys.argv[2:]
        return bare(Path(folder), Path(results), int(threads), files)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=40, help="files of ciphertexts, more than four")
    parser.add_argument("--values", type=int, default=100, help="values of a file")
    parser.add_argument("--turns", type=int, default=2, help="how often each way runs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cryptable-ray-overhead-") as folder:
        found = measure(make_inputs(Path(folder), arguments.files, arguments.values), arguments.turns)
    print(json.dumps(rounded(found)))


if __name__ == "__main__":
    main()
