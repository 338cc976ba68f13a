"""AKP functional bootstrapping by OpenFHE, through its wheel: a random table on a full ciphertext, every value checked.

Parameters are those of OpenFHE's own benchmark of CKKS functional bootstrapping. Prints one JSON line.
"""

import argparse
import json
import random
import resource
import time
from dataclasses import dataclass

import openfhe as fhe


@dataclass(frozen=True)
class Parameters:
    """Runs OpenFHE's benchmark for a table of 2^bits entries, inputs and outputs of as many bits."""

    log2_modulus: int  # of the ciphertext that goes in and comes out, and of the CKKS primes
    table_scale: int  # by which Hermite coefficients are scaled down
    ring_degree: int
    key_switch_digits: int
    levels: list[int]  # of CoeffsToSlots and SlotsToCoeffs


LOG2_FRESH_MODULUS = 60
PARAMETERS = {
    1: Parameters(33, 1, 1 << 15, 3, [3, 3]),
    2: Parameters(35, 16, 1 << 16, 3, [4, 4]),
    4: Parameters(38, 32, 1 << 16, 3, [4, 4]),
    8: Parameters(47, 32, 1 << 16, 4, [3, 3]),
}
FEATURES = ("PKE", "KEYSWITCH", "LEVELEDSHE", "ADVANCEDSHE", "FHE")


def timed(action):
    """The result of a call, and its seconds."""
    start = time.perf_counter()
    result = action()
    return result, time.perf_counter() - start


def context(bits: int, parameters: Parameters, coefficients):
    """A CKKS context of the depth that the table takes."""
    settings = fhe.CCParamsCKKSRNS()
    settings.SetSecretKeyDist(fhe.SecretKeyDist.SPARSE_ENCAPSULATED)
    settings.SetSecurityLevel(fhe.SecurityLevel.HEStd_NotSet)
    settings.SetScalingTechnique(fhe.ScalingTechnique.FIXEDMANUAL)
    settings.SetScalingModSize(parameters.log2_modulus)
    settings.SetFirstModSize(parameters.log2_modulus)
    settings.SetNumLargeDigits(parameters.key_switch_digits)
    settings.SetRingDim(parameters.ring_degree)
    settings.SetBatchSize(ckks_slots(parameters))
    depth = fhe.CryptoContext.GetFBTDepth(
        parameters.levels, coefficients, 1 << bits, 1, fhe.SecretKeyDist.SPARSE_ENCAPSULATED
    )
    settings.SetMultiplicativeDepth(depth)
    made = fhe.GenCryptoContext(settings)
    for feature in FEATURES:
        made.Enable(getattr(fhe.PKESchemeFeature, feature))
    return made, depth


def ckks_slots(parameters: Parameters) -> int:
    return parameters.ring_degree // 2


def measure(bits: int, runs: int, seed: int) -> dict:
    parameters = PARAMETERS[bits]
    size, modulus = 1 << bits, 1 << parameters.log2_modulus
    slots = parameters.ring_degree  # one value a coefficient
    source = random.Random(seed)
    table = [source.randrange(size) for _ in range(size)]
    values = [source.randrange(size) for _ in range(slots)]
    if bits == 1:
        coefficients = [table[1], table[0] - table[1]]
    else:
        coefficients = fhe.GetHermiteTrigCoefficients(lambda x: table[x % size], size, 1, parameters.table_scale)
    made, depth = context(bits, parameters, coefficients)

    def generate():
        keys = made.KeyGen()
        made.EvalFBTSetup(
            coefficients,
            ckks_slots(parameters),
            size,
            size,
            modulus,
            keys.publicKey,
            [0, 0],
            parameters.levels,
            0,
            0,
            1,
        )
        made.EvalBootstrapKeyGen(keys.secretKey, ckks_slots(parameters))
        made.EvalMultKeyGen(keys.secretKey)
        return keys

    keys, keygen_seconds = timed(generate)
    lwe = fhe.SchemeletRLWEMP
    elements = lwe.GetElementParams(keys.secretKey, depth)
    encrypted = lwe.EncryptCoeff(values, 1 << LOG2_FRESH_MODULUS, size, keys.secretKey, elements)
    lwe.ModSwitch(encrypted, modulus, 1 << LOG2_FRESH_MODULUS)

    def look_up():
        inside = lwe.ConvertRLWEToCKKS(made, encrypted, keys.publicKey, modulus, ckks_slots(parameters), depth)
        outside = made.EvalFBT(inside, coefficients, bits, elements.GetModulus(), parameters.table_scale, 0, 1)
        return lwe.ConvertCKKSToRLWE(outside, modulus)

    seconds, wrong = [], 0
    for _ in range(runs):
        result, taken = timed(look_up)
        seconds.append(taken)
        found = lwe.DecryptCoeff(result, modulus, size, keys.secretKey, elements, ckks_slots(parameters), slots)
        wrong += sum((found[i] - table[values[i]]) % size != 0 for i in range(slots))
    return {
        "library": "OpenFHE " + fhe.__version__,
        "method": "akp",
        "bits_in": bits,
        "ring_degree": parameters.ring_degree,
        "slots": slots,
        "threads": 1,
        "keygen_s": keygen_seconds,
        "eval_s": sorted(seconds)[len(seconds) // 2],
        "runs": runs,
        "peak_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "values_checked": slots * runs,
        "wrong": wrong,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bits", type=int, choices=sorted(PARAMETERS), default=8)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.bits, arguments.runs, arguments.seed)))


if __name__ == "__main__":
    main()
