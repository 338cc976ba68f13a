"""Integers of 4 to 28 bits in one ciphertext each: sign, comparison, absolute value, ReLU, maximum, and digits.

    >>> from cryptable import large_values
    >>> secret = large_values.SecretKey.generate(8, insecure_toy=True)      # without `insecure_toy` for use: bits=20
    >>> server = secret.evaluation_key(progress=False)
    >>> x, y = secret.encrypt([-50, 30]), secret.encrypt([20, 10])
    >>> secret.decrypt_small(large_values.less_than(server, x, y, progress=False)).tolist()
    [1, 0]
    >>> secret.decrypt(large_values.maximum(server, x, y, progress=False)).tolist()
    [20, 30]

Integers range from `-2**(bits - 2)` to `2**(bits - 2) - 1`, so that any two can be compared; `encrypt(...,
full_range=True)` doubles the range, for functions of one integer. Integers in digits of base 8 (`to_radix`, or
`SecretKey.encrypt_radix`) allow any number of further operations:

    >>> a, b = secret.encrypt_radix(100, digits=3), secret.encrypt_radix(29, digits=3)
    >>> secret.decrypt_radix(server.radix_add(a, b)), secret.decrypt_radix(server.radix_maximum(a, b))
    (129, 100)
"""

from __future__ import annotations

from collections.abc import Callable

from ._native import bridges as _bridges
from ._native import large_values as _compiled
from .progress import Progress
from .tables import whole

Integers = _bridges.Integers
SmallValues = _bridges.SmallValues
EvaluationKey = _compiled.EvaluationKey
Radix = _compiled.Radix
SecretKey = _compiled.SecretKey

__all__ = [
    "EvaluationKey",
    "Integers",
    "Radix",
    "SecretKey",
    "SmallValues",
    "absolute",
    "fold",
    "less_than",
    "maximum",
    "relu",
    "sign",
    "to_radix",
]


def sign(server: EvaluationKey, x: Integers, *, threads: int = 0, progress: Progress = True) -> SmallValues:
    """Returns 1 for negative integers, else 0."""
    return server.sign(x, threads=threads, progress=progress)


def less_than(
    server: EvaluationKey, x: Integers, y: Integers, *, threads: int = 0, progress: Progress = True
) -> SmallValues:
    """Returns 1 where x < y, else 0."""
    return server.sign(x, y, threads=threads, progress=progress)


def absolute(server: EvaluationKey, x: Integers, *, threads: int = 0, progress: Progress = True) -> Integers:
    """Returns the absolute value of x."""
    return server.function("absolute", x, threads=threads, progress=progress)


def relu(server: EvaluationKey, x: Integers, *, threads: int = 0, progress: Progress = True) -> Integers:
    """Returns x where it is positive, else 0. Results can only be decrypted, not used as operands."""
    return server.function("relu", x, threads=threads, progress=progress)


def maximum(
    server: EvaluationKey, x: Integers, y: Integers, *, threads: int = 0, progress: Progress = True
) -> Integers:
    """Returns the larger of x and y modulo `2**(bits - 1)`, which is the integer itself unless it is negative.

    Results can only be decrypted, not used as operands.
    """
    return server.function("maximum", x, y, threads=threads, progress=progress)


def to_radix(server: EvaluationKey, x: Integers, *, threads: int = 0, progress: Progress = True) -> list[Radix]:
    """Returns the digits of every integer's two's complement in base 8."""
    return server.to_radix(x, threads=threads, progress=progress)


def fold(server: EvaluationKey, x: Radix, function: Callable[[int, int], int], initial: int = 0) -> SmallValues:
    """Runs an automaton with the states 0 and 1 over the digits, the lowest first, and returns its last state.

    Each digit changes the state to `function(digit, state)`.

    >>> secret = SecretKey.generate(8, insecure_toy=True)
    >>> server = secret.evaluation_key(progress=False)
    >>> x = secret.encrypt_radix(0o1234, digits=4)
    >>> parity = fold(server, x, lambda digit, state: (digit.bit_count() + state) % 2)
    >>> secret.decrypt_small(parity).tolist()
    [1]
    """
    return server.radix_fold(
        x, initial, [[whole(function(digit, state), "a state") for state in (0, 1)] for digit in range(8)]
    )
