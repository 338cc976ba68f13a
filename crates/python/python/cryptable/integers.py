"""Columns of encrypted integers of 8 to 64 bits, or booleans: arithmetic, comparisons, selection, shifts, tables,
merging.

On packed values, thousands at once, or on single ones (`engine="single"`), with the same calls. What overflows wraps,
as in numpy; results are operands again, as often as wanted.

    >>> import numpy as np
    >>> from cryptable import SecretKey, integers
    >>> plan = integers.plan(8, engine="single", insecure_toy=True)     # without `insecure_toy` for use
    >>> secret = SecretKey.generate(plan)
    >>> server = secret.evaluation_key(progress=False)
    >>> x = integers.encrypt(secret, np.array([200, 3, 77], dtype=np.uint8))
    >>> y = integers.encrypt(secret, np.array([100, 5, 77], dtype=np.uint8))
    >>> with integers.computing(server, progress=False):                 # operators need to know the server's key
    ...     total, smaller = x + y, x < y
    >>> integers.decrypt(secret, total).tolist(), integers.decrypt(secret, smaller).tolist()
    ([44, 8, 154], [False, True, False])
    >>> integers.decrypt(secret, integers.maximum(server, x, y, progress=False)).tolist()
    [200, 5, 77]

All operations take `threads` and `progress`, as `EvaluationKey.lookup` does, and, in place of one of two columns, a
public integer. Columns are files (`Column.save`), those of the command line's `integers`;
`ColumnWriter` and `ColumnReader` go through long ones part after part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._arrays import as_array
from ._native import EvaluationKey, PublicKey, SecretKey
from ._native import integers as _compiled
from ._threads import checked
from .errors import RangeError, UnsupportedError
from .progress import Progress
from .tables import whole

Column = _compiled.Column
ColumnReader = _compiled.ColumnReader
ColumnWriter = _compiled.ColumnWriter
IntegerPlan = _compiled.IntegerPlan

__all__ = [
    "Column",
    "ColumnReader",
    "ColumnWriter",
    "IntegerPlan",
    "absolute",
    "add",
    "argmax",
    "bitonic_merge",
    "cast",
    "computing",
    "concatenate",
    "decrypt",
    "encrypt",
    "equal",
    "largest",
    "less_or_equal",
    "less_than",
    "less_than_each",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lookup",
    "map_digits",
    "maximum",
    "merge",
    "min_max",
    "minimum",
    "mul",
    "negate",
    "piecewise",
    "plan",
    "reduce",
    "rotate_left",
    "rotate_right",
    "select",
    "shift_left",
    "shift_right",
    "sort",
    "sub",
]

#: An operand: encrypted, or a public number.
Operand: TypeAlias = Column | int


def plan(
    bits: int = 32,
    *,
    signed: bool = False,
    engine: str = "packed",
    digit_bits: int | None = None,
    search: bool = False,
    sums: bool = False,
    values: int | None = None,
    memory: int | None = None,
    log2_fail: float | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> IntegerPlan:
    """Predicts operations on integers of `bits` bits; keys are generated for the plan, and serve integers of all sizes.

    By name: `digit_bits` (1 to 5; 3 of packed values, 2 of single ones by default), `threads`, and of packed values
    `values` at a time, `memory` in bytes and `log2_fail` of a lookup. `search` predicts `largest` (of ten), `argmax`
    and `sort` as well, and keeps the failure probability for them. `sums` prefers sums and comparisons, in half the
    time, to products, which take twice as much: packed digits of four bits with room for a carry alone.

    >>> plan(32, sums=True, insecure_toy=True).digit_bits
    4
    >>> print(str(plan(16, engine="single", insecure_toy=True)).splitlines()[0].split(":")[0])
    u16 in digits of 2 bits
    """
    return _compiled.plan_integers(
        bits,
        signed,
        engine,
        digit_bits=digit_bits,
        search=search,
        sums=sums,
        values=values,
        memory=memory,
        log2_fail=log2_fail,
        threads=threads,
        insecure_toy=insecure_toy,
    )


def encrypt(key: SecretKey | PublicKey, values: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> Column:
    """Encrypts integers or booleans of any shape, as the array's own type or as `dtype`: `bool`, `uint8` to `int64`."""
    array = as_array(values)
    return _compiled.encrypt_column(key, array, *_kind(array.dtype if dtype is None else dtype))


def decrypt(secret: SecretKey, column: Column) -> npt.NDArray[Any]:
    """Decrypts a column: exact integers, of its type and in its shape."""
    return _compiled.decrypt_column(secret, column)


_key: ContextVar[tuple[EvaluationKey, dict[str, Any]] | None] = ContextVar("cryptable.integers", default=None)


@contextmanager
def computing(server: EvaluationKey, *, threads: int = 0, progress: Progress = True) -> Iterator[None]:
    """Within it, operators on columns compute with this key: `x + y`, `3 * x`, `x < y`, `~flag`, `x << amount`."""
    token = _key.set((server, {"threads": threads, "progress": progress}))
    try:
        yield
    finally:
        _key.reset(token)


def _operator(name: str, operands: tuple[Operand, ...]) -> Column:
    """Operators of columns."""
    current = _key.get()
    if current is None:
        raise UnsupportedError(
            "operators on columns need `with cryptable.integers.computing(server):`, or see `integers.add`"
        )
    server, how = current
    return _one(server, name, operands, **how)


def add(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """x + y."""
    return _one(server, "add", (x, y), threads=threads, progress=progress)


def sub(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """x - y."""
    return _one(server, "sub", (x, y), threads=threads, progress=progress)


def mul(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """x * y."""
    return _one(server, "mul", (x, y), threads=threads, progress=progress)


def negate(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """-x."""
    return _one(server, "negate", (x,), threads=threads, progress=progress)


def minimum(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """The smaller of x and y."""
    return _one(server, "min", (x, y), threads=threads, progress=progress)


def maximum(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """The larger of x and y."""
    return _one(server, "max", (x, y), threads=threads, progress=progress)


def min_max(
    server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True
) -> tuple[Column, Column]:
    """The smaller and the larger one, for the lookups of one of them."""
    smaller, larger = _run(server, "min_max", (x, y), threads=threads, progress=progress)
    return smaller, larger


def absolute(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """The absolute value: the larger of x and -x."""
    return maximum(server, x, negate(server, x, threads=threads, progress=progress), threads=threads, progress=progress)


def less_than(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """x < y, booleans."""
    return _one(server, "less", (x, y), threads=threads, progress=progress)


def less_or_equal(
    server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """x <= y, booleans."""
    return _one(server, "less_or_equal", (x, y), threads=threads, progress=progress)


def equal(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """x == y, booleans."""
    return _one(server, "equal", (x, y), threads=threads, progress=progress)


def less_than_each(
    server: EvaluationKey, x: Column, thresholds: Sequence[int], *, threads: int = 0, progress: Progress = True
) -> list[Column]:
    """x < t for each public t, for less than as many comparisons."""
    return _run(server, "less_than_each", (x,), thresholds=list(thresholds), threads=threads, progress=progress)


def select(
    server: EvaluationKey, condition: Column, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """x where the condition is true, else y; one of them encrypted."""
    return _one(server, "select", (condition, x, y), threads=threads, progress=progress)


def logical_and(server: EvaluationKey, x: Column, y: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """x and y, of booleans."""
    return _one(server, "and", (x, y), threads=threads, progress=progress)


def logical_or(server: EvaluationKey, x: Column, y: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """x or y, of booleans."""
    return _one(server, "or", (x, y), threads=threads, progress=progress)


def logical_xor(server: EvaluationKey, x: Column, y: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """x or y, but not both."""
    return _one(server, "xor", (x, y), threads=threads, progress=progress)


def logical_not(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """Not x, of booleans: no lookup."""
    return _one(server, "not", (x,), threads=threads, progress=progress)


def shift_left(
    server: EvaluationKey, x: Column, amount: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """x << amount, which may be encrypted; 0 where it is as many bits as x has, or more, as in numpy."""
    return _one(server, "shift_left", (x, amount), threads=threads, progress=progress)


def shift_right(
    server: EvaluationKey, x: Column, amount: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """x >> amount, which may be encrypted, with the sign of x; 0 or -1 where it is as many bits as x has, or more."""
    return _one(server, "shift_right", (x, amount), threads=threads, progress=progress)


def rotate_left(
    server: EvaluationKey, x: Column, amount: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """x rotated to the more significant bits, by the amount modulo its bits; the amount may be encrypted."""
    return _one(server, "rotate_left", (x, amount), threads=threads, progress=progress)


def rotate_right(
    server: EvaluationKey, x: Column, amount: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """x rotated to the less significant bits, by the amount modulo its bits; the amount may be encrypted."""
    return _one(server, "rotate_right", (x, amount), threads=threads, progress=progress)


def cast(
    server: EvaluationKey, x: Column, dtype: npt.DTypeLike, *, threads: int = 0, progress: Progress = True
) -> Column:
    """The same integers as another type, modulo its size; booleans become 0 and 1."""
    return _one(server, "cast", (x,), kind=_kind(dtype), threads=threads, progress=progress)


def reduce(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """The same integers with carries propagated: whoever decrypts learns nothing of how they came about."""
    return _one(server, "reduce", (x,), threads=threads, progress=progress)


def lookup(
    server: EvaluationKey,
    x: Column,
    table: npt.ArrayLike | Callable[[int], int],
    *,
    bits: int | None = None,
    dtype: npt.DTypeLike | None = None,
    threads: int = 0,
    progress: Progress = True,
) -> Column:
    """The table's output for each integer, by a tree of tables over digits.

    `table` is an array of a power of two of outputs, for the low bits of x as an unsigned number, or a function of all
    values of x, or of its low `bits`. Results are of the type of x, or of `dtype`.
    """
    if callable(table):
        width = x.bits if bits is None else bits
        if not 1 <= width <= 24:
            raise RangeError(f"a table of a function of {width} bits: it must be from 1 to 24; bits=... takes fewer")
        half = 1 << (width - 1) if x.signed and width == x.bits else 1 << width
        arguments = [v if v < half else v - (1 << width) for v in range(1 << width)]
        outputs: Any = np.array([whole(table(v), f"the output for {v}") for v in arguments])
    else:
        outputs = as_array(table)
    kind = _kind(x.dtype if dtype is None else dtype)
    return _one(server, "lookup", (x,), kind=kind, table=outputs, threads=threads, progress=progress)


def piecewise(
    server: EvaluationKey,
    x: Column,
    pieces: Sequence[tuple[int, int] | tuple[int, int, int]],
    *,
    dtype: npt.DTypeLike | None = None,
    threads: int = 0,
    progress: Progress = True,
) -> Column:
    """A piecewise linear function: a tax table.

    `pieces` are pairs of where a piece starts and what the value grows by from there on (it starts at 0, and is
    continuous), or triples with the value that each line has at 0. Results are of the type of x, or of `dtype`, modulo
    its size.
    """
    given = [tuple(whole(number, "a number of a piece") for number in piece) for piece in pieces]
    numbers = [(piece[0], piece[1], piece[2] if len(piece) == 3 else None) for piece in given]
    kind = _kind(x.dtype if dtype is None else dtype)
    return _one(server, "piecewise", (x,), kind=kind, pieces=numbers, threads=threads, progress=progress)


def map_digits(
    server: EvaluationKey,
    x: Column,
    function: Callable[[int, int], int],
    *,
    dtype: npt.DTypeLike | None = None,
    threads: int = 0,
    progress: Progress = True,
) -> Column:
    """The sum of `function(index, digit)` over all digits, the least significant first: what is linear in digits, for
    one lookup a digit. The most significant digit of signed integers has their sign."""
    width = (server.input_modulus.bit_length() - 1) // 2
    tables = []
    for index, low in enumerate(range(0, x.bits, width)):
        base = 1 << min(width, x.bits - low)
        signed = x.signed and low + width >= x.bits
        digits = [d - base if signed and d >= base // 2 else d for d in range(base)]
        tables.append([whole(function(index, digit), f"the output for digit {digit}") for digit in digits])
    kind = _kind(x.dtype if dtype is None else dtype)
    return _one(server, "map_digits", (x,), kind=kind, digits=tables, threads=threads, progress=progress)


def concatenate(server: EvaluationKey, x: Column, y: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """The values of x and then those of y: fresh packed columns that fill a ciphertext together."""
    return _one(server, "concatenate", (x, y), threads=threads, progress=progress)


def merge(
    server: EvaluationKey, rising: Column, falling: Column, *, threads: int = 0, progress: Progress = True
) -> tuple[Column, Column]:
    """Merges a column in rising order with one in falling order, full packed ciphertexts both: the smaller half of all
    values and the larger one, each in rising order."""
    smaller, larger = _run(server, "merge", (rising, falling), threads=threads, progress=progress)
    return smaller, larger


def bitonic_merge(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """Sorts a full packed column that rises and then falls."""
    return _one(server, "bitonic_merge", (x,), threads=threads, progress=progress)


def sort(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """Sorts a packed column of one ciphertext per digit, the smallest value first: a network of 136 stages for 65,536
    places, of which `plan` says the time."""
    return _one(server, "sort", (x,), threads=threads, progress=progress)


def largest(
    server: EvaluationKey, x: Column, k: int, *, threads: int = 0, progress: Progress = True
) -> tuple[Column, Column]:
    """Finds the k largest integers of a packed column of one ciphertext per digit: booleans, true in the rows of at
    least the k-th largest integer (of more than k rows, if others equal it), and that integer in every row.

    The server learns neither; digits of 4 bits (`plan(digit_bits=4)`) take the least time for integers of 16 bits.
    `k` may be any number up to that of rows: a median, a quantile.
    """
    selected, least = _run(server, "largest", (x,), count=k, threads=threads, progress=progress)
    return selected, least


def argmax(
    server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True
) -> tuple[Column, Column, Column]:
    """Finds the first row that has the largest integer of a packed column: its number, the integer, both in every row,
    and booleans that are true in that row alone."""
    row, value, is_there = _run(server, "argmax", (x,), threads=threads, progress=progress)
    return row, value, is_there


def _kind(dtype: npt.DTypeLike) -> tuple[int, bool]:
    """Bits of a type of numpy's, and whether it is signed."""
    found = np.dtype(dtype)
    if found.kind not in "biu":
        raise TypeError(f"values are of type {found}, but must be integers or booleans")
    return (1, False) if found.kind == "b" else (8 * found.itemsize, found.kind == "i")


def _run(
    server: EvaluationKey,
    name: str,
    operands: tuple[Operand, ...],
    *,
    threads: int = 0,
    progress: Any = True,
    table: Any = None,
    kind: tuple[int, bool] | None = None,
    thresholds: Sequence[int] = (),
    pieces: Sequence[tuple[int, int, int | None]] = (),
    digits: Sequence[list[int]] = (),
    count: int = 0,
) -> list[Column]:
    options = {"kind": kind, "thresholds": thresholds, "pieces": pieces, "digits": digits, "count": count}
    options["threads"] = checked(threads)
    return _compiled.compute_integers(server, name, list(operands), options, table, progress)


def _one(server: EvaluationKey, name: str, operands: tuple[Operand, ...], **how: Any) -> Column:
    return _run(server, name, operands, **how)[0]
