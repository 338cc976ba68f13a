"""NAND gates of single bits by OpenFHE, through its wheel: both bits of every gate in turn, every result checked.

Parameters are OpenFHE's own of 128 bits, by the method named. Prints one JSON line.
"""

import argparse
import itertools
import json
import resource
import time

import openfhe as fhe


def measure(method: str, runs: int) -> dict:
    context = fhe.BinFHEContext()
    context.GenerateBinFHEContext(
        getattr(fhe, "STD128_LMKCDEY" if method == "LMKCDEY" else "STD128"), getattr(fhe, method)
    )
    start = time.perf_counter()
    secret = context.KeyGen()
    context.BTKeyGen(secret)
    keygen_seconds = time.perf_counter() - start
    seconds, wrong = [], 0
    for left, right in itertools.islice(itertools.cycle(itertools.product((0, 1), repeat=2)), runs):
        inputs = context.Encrypt(secret, left), context.Encrypt(secret, right)
        start = time.perf_counter()
        output = context.EvalBinGate(fhe.NAND, *inputs)
        seconds.append(time.perf_counter() - start)
        wrong += context.Decrypt(secret, output) != 1 - (left & right)
    return {
        "library": "OpenFHE " + fhe.__version__,
        "method": f"NAND, {method}",
        "threads": 1,
        "keygen_s": keygen_seconds,
        "eval_s": sorted(seconds)[runs // 2],
        "runs": runs,
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "values_checked": runs,
        "wrong": wrong,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", choices=("GINX", "LMKCDEY"), default="LMKCDEY")
    parser.add_argument("--runs", type=int, default=16)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.method, arguments.runs)))


if __name__ == "__main__":
    main()
