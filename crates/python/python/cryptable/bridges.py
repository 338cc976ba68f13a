"""Conversion of packed results to single values and back: look up thousands at once, then continue with a few of them.

    >>> import cryptable
    >>> from cryptable import bridges, large_values
    >>> plan = bridges.plan_integers(16, bits=8, values=3, insecure_toy=True)    # without `insecure_toy` for use
    >>> secrets = bridges.SecretKeys.generate(plan)                              # the client
    >>> server = secrets.evaluation_keys(progress=False)                         # what the server gets
    >>> table = server.prepare(cryptable.table(lambda x: 37 * x % 256, inputs=16, output_modulus=256))
    >>> [found] = server.lookup_many(secrets.encrypt([1, 5, 7]), [table], progress=False)
    >>> integers = server.to_integers(found, 0, 2)                               # the first two, in two's complement
    >>> secrets.decrypt_integers(integers).tolist()
    [37, -71]
    >>> signs = large_values.sign(server.single, integers, progress=False)
    >>> secrets.decrypt(server.pack(signs, progress=False)).tolist()             # packed again
    [0, 1]

With `bridges.plan_table`, results become inputs of a table of up to 24 bits, as values of the engine `leveled`: the
packed lookup uses one table per two-bit digit of its outputs (`digit_tables`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._native import bridges as _compiled
from ._native.tables import Table
from ._threads import checked
from .tables import TableLike
from .tables import table as _table

__all__ = [
    "EvaluationKeys",
    "Integers",
    "LeveledValues",
    "Plan",
    "SecretKeys",
    "SmallValues",
    "digit_tables",
    "plan_integers",
    "plan_table",
]

EvaluationKeys = _compiled.EvaluationKeys
Integers = _compiled.Integers
LeveledValues = _compiled.LeveledValues
Plan = _compiled.Plan
SecretKeys = _compiled.SecretKeys
SmallValues = _compiled.SmallValues


def plan_integers(
    input_modulus: int,
    *,
    bits: int,
    function: str = "sign",
    returning: str = "single",
    values: int | None = None,
    taken_out: int | None = None,
    memory: int | None = None,
    log2_fail: float | None = None,
    threads: int = 1,
    insecure_toy: bool = False,
) -> Plan:
    """Plans a packed lookup of values below a modulus, whose results modulo `2**bits` become two's complement integers.

    `function` is `"sign"` (comparisons, too) or `"absolute"` (maximum and ReLU, too); comparisons need one bit of
    headroom. `returning` says whether results stay `"single"`, are `"packed"`, or are packed and `"looked up"` again.
    Keyword arguments: `values` is the number looked up at once, `taken_out` the number taken out of the packed result,
    `memory` is in bytes, `log2_fail` bounds the probability that any value of a packed ciphertext fails over all
    steps, and `threads` is the number of threads.
    """
    limits = _limits(values, taken_out, memory, log2_fail, threads, insecure_toy)
    return _compiled.plan_bridge(input_modulus, function, bits, (2, 2), returning, limits)


def plan_table(
    input_modulus: int,
    *,
    moduli: tuple[int, int],
    returning: str = "single",
    values: int | None = None,
    taken_out: int | None = None,
    memory: int | None = None,
    log2_fail: float | None = None,
    threads: int = 1,
    insecure_toy: bool = False,
) -> Plan:
    """Plans a packed lookup whose results, below `moduli[0]`, become inputs of a table with outputs below `moduli[1]`.

    The other arguments are those of `plan_integers`.
    """
    limits = _limits(values, taken_out, memory, log2_fail, threads, insecure_toy)
    return _compiled.plan_bridge(input_modulus, "table", 0, moduli, returning, limits)


def _limits(
    values: int | None,
    taken_out: int | None,
    memory: int | None,
    log2_fail: float | None,
    threads: int,
    insecure_toy: bool,
) -> dict[str, Any]:
    return {
        "values": values,
        "taken_out": taken_out,
        "memory": memory,
        "log2_fail": log2_fail,
        "threads": checked(threads),
        "insecure_toy": insecure_toy,
    }


def digit_tables(table: TableLike, *, inputs: int, output_modulus: int) -> list[Table]:
    """Returns the tables of the packed lookup before a leveled one: one per two-bit digit, the lowest first.

    >>> [part.outputs.tolist() for part in digit_tables([7, 2], inputs=2, output_modulus=16)]
    [[3, 2], [1, 0]]
    """
    outputs = _table(table, inputs=inputs, output_modulus=output_modulus).outputs.astype(np.uint64)
    count = -(-(output_modulus - 1).bit_length() // 2)
    return [Table(outputs >> np.uint64(2 * digit) & np.uint64(3), 4) for digit in range(count)]
