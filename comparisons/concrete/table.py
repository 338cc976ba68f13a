"""A random table on one value by Concrete, compiled as its documentation has it, on one thread, every result checked.

Concrete chooses parameters of 128 bits itself, by the failure probability of a bootstrap that is stated; without one it
takes 1e-5 for the circuit. Prints one JSON line.
"""

import argparse
import importlib.metadata
import json
import random
import resource
import sys
import time
from unittest import mock

# Concrete imports torch, which takes gigabytes, for convolutions alone: `compare.py install` leaves it out.
sys.modules.setdefault("torch", mock.MagicMock())

from concrete import fhe  # noqa: E402


def measure(bits: int, log2_fail: int | None, runs: int) -> dict:
    size = 1 << bits
    draw = random.Random(1)
    entries = [draw.randrange(size) for _ in range(size)]
    entries[draw.randrange(size)] = size - 1  # results of all bits
    table = fhe.LookupTable(entries)
    probability = {} if log2_fail is None else {"p_error": 2.0**log2_fail}
    configuration = fhe.Configuration(loop_parallelize=False, dataflow_parallelize=False, **probability)
    compiler = fhe.Compiler(lambda x: table[x], {"x": "encrypted"})
    circuit = compiler.compile(range(size), configuration)
    start = time.perf_counter()
    circuit.keygen()
    keygen_seconds = time.perf_counter() - start
    seconds, wrong = [], 0
    for run in range(runs + 1):  # the first one warms up
        value = draw.randrange(size)
        encrypted = circuit.encrypt(value)
        start = time.perf_counter()
        result = circuit.run(encrypted)
        taken = time.perf_counter() - start
        wrong += circuit.decrypt(result) != entries[value]
        if run:
            seconds.append(taken)
    return {
        "library": "Concrete " + importlib.metadata.version("concrete-python"),
        "method": "lookup table",
        "bits_in": bits,
        "threads": 1,
        "keygen_s": keygen_seconds,
        "eval_s": sorted(seconds)[runs // 2],
        "runs": runs,
        "eval_key_bytes": circuit.size_of_bootstrap_keys + circuit.size_of_keyswitch_keys,
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "values_checked": runs + 1,
        "wrong": wrong,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bits", type=int, choices=range(1, 9), default=4)
    parser.add_argument("--log2-fail", type=int, help="of a bootstrap; Concrete's own choice otherwise")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.bits, arguments.log2_fail, arguments.runs)))


if __name__ == "__main__":
    main()
