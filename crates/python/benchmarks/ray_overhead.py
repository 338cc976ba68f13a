#!/usr/bin/env python3
"""What `cryptable.ray.lookup` adds to `EvaluationKey.lookup` on the same files, and what a second worker brings.

    make ray-overhead                                        # or, with other sizes,
    python3 crates/python/benchmarks/ray_overhead.py --files 40 --values 300

Tables of 4 bits on single values, at 128 bits of security, one thread a worker: on a quiet machine of two cores or
more. Bare lookups and lookups by Ray take turns; the least time of each counts. A run by Ray starts its workers, which
map the key: `overhead` leaves out what a run of two files of one value takes, which does not grow with the work and is
printed beside. One line of JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import cryptable
import cryptable.ray
import numpy as np

MODULUS = 16


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def bare(server: cryptable.EvaluationKey, files: list[Path], table: np.ndarray, output: Path) -> None:
    """What a worker does, without Ray."""
    output.mkdir()
    prepared = server.prepare(table)
    for file in files:
        result = server.lookup(cryptable.Ciphertext.load(file), prepared, threads=1, progress=False)
        result.save(output / file.name)


def check(secret: cryptable.SecretKey, files: list[Path], clear: list[np.ndarray], table: np.ndarray) -> int:
    """Results that are wrong."""
    found = [secret.decrypt(cryptable.Ciphertext.load(file)) for file in files]
    return sum(int(np.count_nonzero(got != table[values])) for got, values in zip(found, clear, strict=True))


def measure(folder: Path, arguments: argparse.Namespace) -> dict[str, float | int]:
    rng = np.random.default_rng(1)
    table = rng.integers(0, MODULUS, MODULUS)
    secret = cryptable.SecretKey.generate(cryptable.plan(table, engine="single", values=arguments.values))
    key = folder / "server.key"
    secret.save_evaluation_key(key, progress=False)
    clear = [rng.integers(0, MODULUS, arguments.values) for _ in range(arguments.files)]
    files = [folder / f"{index:03}.ct" for index in range(arguments.files)]
    few = [folder / f"few{index}.ct" for index in range(2)]
    for file, values in zip(files + few, [*clear, [1], [2]], strict=True):
        secret.encrypt(values).save(file)
    server = cryptable.EvaluationKey.open(key)

    def by_ray(inputs: list[Path], workers: int) -> float:
        output = folder / "by_ray"
        shutil.rmtree(output, ignore_errors=True)

        def run() -> None:
            cryptable.ray.lookup(inputs, key, table, output=output, workers=workers, threads=1, progress=False)

        return timed(run)

    by_ray(few, 1)  # Ray itself starts
    times: dict[str, list[float]] = {name: [] for name in ("bare", "one", "two", "start_one", "start_two")}
    wrong = 0
    for turn in range(arguments.runs):
        output = folder / f"bare{turn}"
        times["bare"].append(timed(lambda output=output: bare(server, files, table, output)))
        times["start_one"].append(by_ray(few, 1))
        times["one"].append(by_ray(files, 1))
        wrong += check(secret, [folder / "by_ray" / file.name for file in files], clear, table)
        times["start_two"].append(by_ray(few, 2))
        times["two"].append(by_ray(files, 2))
        wrong += check(secret, [folder / "by_ray" / file.name for file in files], clear, table)
    least = {name: min(found) for name, found in times.items()}
    one, two = least["one"] - least["start_one"], least["two"] - least["start_two"]
    return {
        "values": arguments.files * arguments.values,
        "files": arguments.files,
        "wrong": wrong,
        "bare_s": least["bare"],
        "one_worker_s": least["one"],
        "two_workers_s": least["two"],
        "start_of_one_worker_s": least["start_one"],
        "start_of_two_workers_s": least["start_two"],
        "overhead": one / least["bare"] - 1,
        "overhead_with_start": least["one"] / least["bare"] - 1,
        "two_workers_over_one": one / two,
        "two_workers_over_one_with_start": least["one"] / least["two"],
        "cores": os.cpu_count() or 1,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=24, help="files of ciphertexts")
    parser.add_argument("--values", type=int, default=150, help="values of a file")
    parser.add_argument("--runs", type=int, default=2, help="turns; the least times count")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="cryptable-ray-overhead-") as folder:
        found = measure(Path(folder), arguments)
    print(json.dumps({name: round(value, 4) for name, value in found.items()}))


if __name__ == "__main__":
    main()
