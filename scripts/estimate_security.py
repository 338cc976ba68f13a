#!/usr/bin/env python3
"""Costs of the lattice attacks on LWE instances, by the lattice-estimator.

Reads instances as CSV, as `cryptable plan --list-parameters --csv` prints them or as the tables in
`crates/lattice/src/security` have them, and prints the same rows with a column of log2(cost) for every attack:

    git clone https://github.com/malb/lattice-estimator && git -C lattice-estimator checkout 27a581b
    pip install passagemath-modules passagemath-symbolics passagemath-flint scipy     # or run it under Sage
    cryptable plan --list-parameters --csv | scripts/estimate_security.py --estimator lattice-estimator -

Columns that are read, by any of their names:
    dimension, n, N, ring_degree   dimension of the secret; a ring is taken as LWE of its degree, samples without bound
    log2_modulus, log2_q           log2 of the modulus
    secret                         `binary`, `ternary`, the weight of a ternary secret of fixed weight, or `blocks` and
                                   how many blocks there are, each with one coefficient of 1
    error_std                      standard deviation of errors, 3.19 where there is no such column

Attacks bear the estimator's names: `usvp`, `bdd` (primal_bdd), `bdd_hybrid` (primal_hybrid without meet in the middle,
enumerating with a small lattice), `bdd_mitm_hybrid` (primal_hybrid with meet in the middle and Babai's nearest plane)
and `dual_hybrid`. The cost model is MATZOV (2022), for classical computers. Costs are rounded to a tenth of a bit.
"""

import argparse
import csv
import sys
import types
from math import comb, log2

ATTACKS = ["usvp", "bdd", "bdd_hybrid", "bdd_mitm_hybrid", "dual_hybrid"]


def import_estimator(path):
    """The estimator's modules and Sage's real numbers, under Sage or under its few parts in the index, passagemath."""
    sys.path.insert(0, path)
    try:
        import sage.all
    except ImportError:
        import sage
        from sage import all__sagemath_modules, all__sagemath_symbolics

        collected = types.ModuleType("sage.all")
        for part in (all__sagemath_modules, all__sagemath_symbolics):
            collected.__dict__.update({k: v for k, v in vars(part).items() if not k.startswith("__")})
        collected.line = None  # Only for plots.
        sys.modules["sage.all"] = sage.all = collected
    from estimator import LWE, ND, RC
    from sage.all import RR

    return types.SimpleNamespace(LWE=LWE, ND=ND, RC=RC, RR=RR)


def first_of(row, names, otherwise=None):
    for name in names:
        if row.get(name):
            return row[name]
    if otherwise is None:
        sys.exit(f"no column of {', '.join(names)} in {row}")
    return otherwise


def no_harder_than_blocks(n, blocks):
    """Dimension and weight of binary secrets that stand for secrets of blocks with one 1 each.

    Each block's sum is known, which gives a dimension per block away. As many coefficients of the rest are 1 as leave
    no more secrets than there are secrets of blocks, though those have more ones: attacks that guess have fewer
    guesses, and zeros are more probable.
    """
    dimension, secrets = n - blocks, (n // blocks) ** blocks
    weight = 1
    while comb(dimension, weight + 1) <= secrets:
        weight += 1
    return dimension, weight


def instance(row, estimator):
    """The estimator's parameters of a row."""
    n = int(first_of(row, ["dimension", "n", "N", "ring_degree"]))
    log2_modulus = float(first_of(row, ["log2_modulus", "log2_q"]))
    # Large integers make the estimator's comparisons symbolic, which takes more of Sage than is needed here.
    q = round(2**log2_modulus) if log2_modulus < 64 else estimator.RR(2) ** estimator.RR(log2_modulus)
    kind, distributions = first_of(row, ["secret"]), estimator.ND
    if kind == "binary":
        secret = distributions.UniformMod(2)
    elif kind == "ternary":
        secret = distributions.UniformMod(3)
    elif kind.startswith("blocks"):
        n, weight = no_harder_than_blocks(n, int(kind.removeprefix("blocks")))
        secret = distributions.SparseTernary(weight, 0, n=n)
    else:
        weight = int(kind)
        secret = distributions.SparseTernary((weight + 1) // 2, weight // 2, n=n)
    error = distributions.DiscreteGaussian(float(first_of(row, ["error_std"], "3.19")))
    return estimator.LWE.Parameters(n=n, q=q, Xs=secret, Xe=error)


def cost(attack, parameters, estimator):
    """log2 of the ring operations of an attack."""
    lwe, model = estimator.LWE, estimator.RC.MATZOV
    run = {
        "usvp": lambda: lwe.primal_usvp(parameters, red_cost_model=model),
        "bdd": lambda: lwe.primal_bdd(parameters, red_cost_model=model),
        "bdd_hybrid": lambda: lwe.primal_hybrid(parameters, mitm=False, babai=False, red_cost_model=model),
        "bdd_mitm_hybrid": lambda: lwe.primal_hybrid(parameters, mitm=True, babai=True, red_cost_model=model),
        "dual_hybrid": lambda: lwe.dual_hybrid(parameters, red_cost_model=model),
    }[attack]
    operations = run()["rop"]
    try:
        return f"{log2(float(operations)):.1f}"
    except OverflowError:
        # Beyond a double: such an attack does not matter.
        return "1000"


def main():
    parser = argparse.ArgumentParser(description="Costs of lattice attacks, by the lattice-estimator")
    parser.add_argument("input", type=argparse.FileType("r"), help="instances as CSV; - is standard input")
    parser.add_argument("--estimator", required=True, help="directory of a clone of lattice-estimator")
    parser.add_argument("--attacks", default=",".join(ATTACKS), help="which ones, comma between them")
    arguments = parser.parse_args()
    attacks = arguments.attacks.split(",")
    estimator = import_estimator(arguments.estimator)
    reader = csv.DictReader(arguments.input)
    kept = [name for name in reader.fieldnames if name not in ATTACKS]
    writer = csv.DictWriter(sys.stdout, kept + attacks, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in reader:
        parameters = instance(row, estimator)
        row.update({attack: cost(attack, parameters, estimator) for attack in attacks})
        writer.writerow(row)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
