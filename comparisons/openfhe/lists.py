"""LWE ciphertexts of OpenFHE's STD128 as files for cryptable, and back, through OpenFHE's wheel.

    python lists.py encrypt FOLDER --count 1024   # key.lwe, x.lwe, y.lwe, and their bits in expected.json
    python lists.py check FOLDER --gate nand      # decrypts result.lwe, and puts some bits through OpenFHE's gates

Between both, `foreign_gates` (crates/cryptable/examples) makes keys of key.lwe and evaluates the gate. The layout of
files is described in crates/conversion/src/foreign/file.rs. Numbers are read from OpenFHE's JSON, since its wheel shows
no words.
"""

import argparse
import array
import itertools
import json
import os
import secrets
import struct
import sys
import tempfile
from pathlib import Path

import openfhe as fhe

GATES = {
    "and": lambda x, y: x & y,
    "nand": lambda x, y: 1 - (x & y),
    "or": lambda x, y: x | y,
    "nor": lambda x, y: 1 - (x | y),
    "xor": lambda x, y: x ^ y,
    "xnor": lambda x, y: 1 - (x ^ y),
}
# Bits that go through OpenFHE's own gate after ours.
SAMPLE = 8


def words_of(thing: object, path: Path) -> dict:
    fhe.SerializeToFile(str(path), thing, fhe.JSON)
    return json.loads(path.read_text())["value0"]["ptr_wrapper"]["data"]


def write_list(path: Path, modulus: int, ciphertexts: list[tuple[list[int], int]]) -> None:
    dimension = len(ciphertexts[0][0])
    header = struct.pack("<8sIIQ", b"LWELIST1", dimension, modulus.bit_length() - 1, len(ciphertexts))
    words = array.array("I", (word for mask, body in ciphertexts for word in (*mask, body)))
    if sys.byteorder == "big":
        words.byteswap()
    path.write_bytes(header + words.tobytes())


def read_list(path: Path) -> tuple[int, list[tuple[list[int], int]]]:
    data = path.read_bytes()
    _, dimension, log2_modulus, count = struct.unpack_from("<8sIIQ", data)
    width = dimension + 1
    words = struct.unpack_from(f"<{count * width}I", data, 24)
    records = (words[i * width : (i + 1) * width] for i in range(count))
    return 1 << log2_modulus, [(list(record[:-1]), record[-1]) for record in records]


def encrypt(folder: Path, count: int) -> None:
    """Draws a secret and random bits, and encrypts them as OpenFHE does by default."""
    os.umask(0o077)  # secrets
    folder.mkdir(parents=True, exist_ok=True)
    context = fhe.BinFHEContext()
    context.GenerateBinFHEContext(fhe.STD128, fhe.GINX)
    secret = context.KeyGen()
    scratch = folder / "scratch.json"
    numbers = words_of(secret, folder / "key.json")["s"]
    modulus = numbers["m"]["v"]
    signed = [word - modulus if word > modulus // 2 else word for word in numbers["v"]]
    (folder / "key.lwe").write_bytes(struct.pack("<8sI", b"LWEKEY01", len(signed)) + bytes(w & 255 for w in signed))
    expected = {}
    for name in ("x", "y"):
        bits = [secrets.randbelow(2) for _ in range(count)]
        ciphertexts = []
        for bit in bits:
            words = words_of(context.Encrypt(secret, bit), scratch)
            ciphertexts.append((words["a"]["v"], words["b"]["v"]))
        write_list(folder / f"{name}.lwe", context.Getq(), ciphertexts)
        expected[name] = bits
    scratch.unlink()
    (folder / "expected.json").write_text(json.dumps(expected))


def openfhe_ciphertext(template: dict, mask: list[int], body: int, scratch: Path) -> object:
    data = template["value0"]["ptr_wrapper"]["data"]
    data["a"]["v"], data["b"]["v"] = mask, body
    scratch.write_text(json.dumps(template))
    return fhe.DeserializeLWECiphertext(str(scratch), fhe.JSON)[0]


def check(folder: Path, gate: str) -> None:
    """Decrypts results with OpenFHE, and evaluates NOT(r AND r') of neighbours by its own bootstraps."""
    expected = json.loads((folder / "expected.json").read_text())
    wanted = [GATES[gate](x, y) for x, y in zip(expected["x"], expected["y"], strict=True)]
    context = fhe.BinFHEContext()
    context.GenerateBinFHEContext(fhe.STD128, fhe.GINX)
    secret = fhe.DeserializeLWEPrivateKey(str(folder / "key.json"), fhe.JSON)[0]
    modulus, results = read_list(folder / "result.lwe")
    signed = [byte - 256 if byte > 127 else byte for byte in (folder / "key.lwe").read_bytes()[12:]]
    errors = []
    for (mask, body), bit in zip(results, wanted, strict=True):
        phase = (body - sum(a * s for a, s in zip(mask, signed, strict=True)) - bit * modulus // 4) % modulus
        errors.append(min(phase, modulus - phase))
    wrong = sum(error >= modulus // 8 for error in errors)
    deviation = (sum(error * error for error in errors) / len(errors)) ** 0.5
    context.BTKeyGen(secret)
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "ciphertext.json"
        fhe.SerializeToFile(str(path), context.Encrypt(secret, 0), fhe.JSON)
        template = json.loads(path.read_text())
        sample = [openfhe_ciphertext(template, *result, path) for result in results[: SAMPLE + 1]]
        wrong_by_openfhe = sum(context.Decrypt(secret, it) != bit for it, bit in zip(sample, wanted, strict=False))
        pairs = itertools.pairwise(sample)
        nands = [context.Decrypt(secret, context.EvalBinGate(fhe.NAND, a, b)) for a, b in pairs]
    neighbours = zip(nands, itertools.pairwise(wanted), strict=False)
    wrong_after = sum(bit != 1 - (a & b) for bit, (a, b) in neighbours)
    print(
        json.dumps(
            {
                "library": "OpenFHE " + fhe.__version__,
                "values_checked": len(results),
                "wrong": wrong,
                "noise_units": deviation,
                "largest_units": max(errors),
                "decrypted_by_openfhe": len(sample),
                "wrong_by_openfhe": wrong_by_openfhe,
                "gates_by_openfhe": len(nands),
                "wrong_after_gates": wrong_after,
            }
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("encrypt", "check"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=1024)
    parser.add_argument("--gate", choices=sorted(GATES), default="nand")
    arguments = parser.parse_args()
    if arguments.action == "encrypt":
        encrypt(arguments.folder, arguments.count)
    else:
        check(arguments.folder, arguments.gate)


if __name__ == "__main__":
    main()
