"""Comparison, maximum, ReLU and similar functions of encrypted integers of 4 to 39 bits, tens of thousands at once.

    >>> from cryptable import SecretKey, comparisons
    >>> plan = comparisons.plan(bits=8, insecure_toy=True)               # without `insecure_toy` for use: bits=32
    >>> secret = SecretKey.generate(plan)
    >>> server = secret.evaluation_key(progress=False)
    >>> x, y = secret.encrypt_integers([-100, 5]), secret.encrypt_integers([100, 5])
    >>> less = comparisons.less_than(server, x, y, progress=False)       # a Ciphertext of bits
    >>> larger = comparisons.maximum(server, x, y, progress=False)       # Digits
    >>> secret.decrypt(less).tolist(), secret.decrypt_integers(larger).tolist()
    ([1, 0], [100, 5])

All functions accept `threads` and `progress`, as `EvaluationKey.lookup` does.
"""

from __future__ import annotations

from typing import cast

from ._native import EvaluationKey
from ._native.ciphertexts import Ciphertext
from ._native.comparisons import ComparisonPlan, Digits, compare
from ._native.comparisons import plan_comparisons as _plan
from .progress import Progress

__all__ = [
    "ComparisonPlan",
    "Digits",
    "absolute_value",
    "clamp",
    "digits",
    "equal",
    "greater_or_equal",
    "index_of_larger",
    "is_negative",
    "less_than",
    "maximum",
    "minimum",
    "plan",
    "relu",
]


def plan(
    bits: int,
    *,
    digit_bits: int | None = None,
    values: int | None = None,
    memory: int | None = None,
    log2_fail: float | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> ComparisonPlan:
    """Finds parameters for comparisons of integers of `bits` bits, for `SecretKey.generate`.

    `digit_bits`, from 2 to 8, is the size of the most significant digit, and the other digits have at most that size
    (default: the fastest). It decides which bits `EvaluationKey.floor` removes. Toys always have digits of 3 bits.
    `values` is the number of values per operation, `memory` is in bytes, `log2_fail` bounds the failure probability of
    a whole operation (default: -64), and `threads` is the number of threads for which times are predicted.

    >>> plan(15, digit_bits=4).digit_sizes
    [16, 16, 16, 16]
    """
    return _plan(
        bits,
        digit_bits=digit_bits,
        values=values,
        memory=memory,
        log2_fail=log2_fail,
        threads=threads,
        insecure_toy=insecure_toy,
    )


def less_than(
    server: EvaluationKey, x: Ciphertext, y: Ciphertext, *, threads: int = 0, progress: Progress = True
) -> Ciphertext:
    """Returns 1 where x < y, else 0."""
    return cast(Ciphertext, compare(server, "less-than", [x, y], threads=threads, progress=progress))


def greater_or_equal(
    server: EvaluationKey, x: Ciphertext, y: Ciphertext, *, threads: int = 0, progress: Progress = True
) -> Ciphertext:
    """Returns 1 where x >= y, else 0."""
    return cast(Ciphertext, compare(server, "greater-or-equal", [x, y], threads=threads, progress=progress))


def index_of_larger(
    server: EvaluationKey, x: Ciphertext, y: Ciphertext, *, threads: int = 0, progress: Progress = True
) -> Ciphertext:
    """Returns 1 where y is larger, and 0 where x is larger or both are equal."""
    return less_than(server, x, y, threads=threads, progress=progress)


def equal(
    server: EvaluationKey, x: Ciphertext, y: Ciphertext, *, threads: int = 0, progress: Progress = True
) -> Ciphertext:
    """Returns 1 where x == y, else 0."""
    return cast(Ciphertext, compare(server, "equal", [x, y], threads=threads, progress=progress))


def is_negative(server: EvaluationKey, x: Ciphertext, *, threads: int = 0, progress: Progress = True) -> Ciphertext:
    """Returns 1 where x < 0, else 0."""
    return cast(Ciphertext, compare(server, "sign", [x], threads=threads, progress=progress))


def maximum(
    server: EvaluationKey, x: Ciphertext, y: Ciphertext, *, threads: int = 0, progress: Progress = True
) -> Digits:
    """Returns the larger of x and y."""
    return cast(Digits, compare(server, "maximum", [x, y], threads=threads, progress=progress))


def minimum(
    server: EvaluationKey, x: Ciphertext, y: Ciphertext, *, threads: int = 0, progress: Progress = True
) -> Digits:
    """Returns the smaller of x and y."""
    return cast(Digits, compare(server, "minimum", [x, y], threads=threads, progress=progress))


def relu(server: EvaluationKey, x: Ciphertext, *, threads: int = 0, progress: Progress = True) -> Digits:
    """Returns x where it is positive, else 0."""
    return cast(Digits, compare(server, "relu", [x], threads=threads, progress=progress))


def absolute_value(server: EvaluationKey, x: Ciphertext, *, threads: int = 0, progress: Progress = True) -> Digits:
    """Returns the absolute value of x."""
    return cast(Digits, compare(server, "absolute-value", [x], threads=threads, progress=progress))


def clamp(
    server: EvaluationKey, x: Ciphertext, low: int, high: int, *, threads: int = 0, progress: Progress = True
) -> Digits:
    """Clamps x to the range from `low` to `high`."""
    return cast(Digits, compare(server, "clamp", [x], bounds=(low, high), threads=threads, progress=progress))


def digits(server: EvaluationKey, x: Ciphertext, *, threads: int = 0, progress: Progress = True) -> Digits:
    """Decomposes x into digits, which can be looked up one by one."""
    return cast(Digits, compare(server, "digits", [x], threads=threads, progress=progress))
