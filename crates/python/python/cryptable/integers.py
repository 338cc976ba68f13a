"""Columns of encrypted integers of 8 to 64 bits, or booleans: arithmetic, comparisons, shifts, tables, merging.

The same functions work on packed values, thousands at once, and on single ones (`engine="single"`). Overflow wraps
around, as in numpy. Results can be operands again, any number of times.

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

All operations accept `threads` and `progress`, as `EvaluationKey.lookup` does. One of two operands may be a public
integer instead of a column. `Column.save` writes the files that `cryptable integers` on the command line uses, and
`ColumnWriter` and `ColumnReader` process long files part by part.
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

#: An operand: an encrypted column, or a public integer.
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
    """Predicts operations on integers of `bits` bits. Keys made for this plan serve integers of all sizes.

    `digit_bits` is from 1 to 5, by default 3 for packed values and 2 for single ones; `threads` is the number of
    threads for which times are predicted. For packed values, `values` is the number processed at once, `memory` is in
    bytes, and `log2_fail` is that of a lookup. `search` also predicts `largest` (of ten), `argmax` and `sort`, and
    keeps the failure probability for them. `sums` halves the time of sums and comparisons but doubles that of products:
    packed digits then have four bits, with room for a carry but nothing more.

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
    """Makes operators on columns (`x + y`, `3 * x`, `x < y`, `~flag`, `x << amount`) use this key in a `with` block."""
    token = _key.set((server, {"threads": threads, "progress": progress}))
    try:
        yield
    finally:
        _key.reset(token)


def _operator(name: str, operands: tuple[Operand, ...]) -> Column:
    """Evaluates an operator on columns."""
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
    """Returns the smaller of x and y."""
    return _one(server, "min", (x, y), threads=threads, progress=progress)


def maximum(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """Returns the larger of x and y."""
    return _one(server, "max", (x, y), threads=threads, progress=progress)


def min_max(
    server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True
) -> tuple[Column, Column]:
    """Returns the smaller and the larger of x and y, with only as many lookups as one of them needs."""
    smaller, larger = _run(server, "min_max", (x, y), threads=threads, progress=progress)
    return smaller, larger


def absolute(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """Returns the absolute value: the larger of x and -x."""
    return maximum(server, x, negate(server, x, threads=threads, progress=progress), threads=threads, progress=progress)


def less_than(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """x < y, as booleans."""
    return _one(server, "less", (x, y), threads=threads, progress=progress)


def less_or_equal(
    server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """x <= y, as booleans."""
    return _one(server, "less_or_equal", (x, y), threads=threads, progress=progress)


def equal(server: EvaluationKey, x: Operand, y: Operand, *, threads: int = 0, progress: Progress = True) -> Column:
    """x == y, as booleans."""
    return _one(server, "equal", (x, y), threads=threads, progress=progress)


def less_than_each(
    server: EvaluationKey, x: Column, thresholds: Sequence[int], *, threads: int = 0, progress: Progress = True
) -> list[Column]:
    """x < t for each public threshold t, faster than separate comparisons."""
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
    """x << amount, which may be encrypted. Returns 0 where the amount is at least the number of bits, as in numpy."""
    return _one(server, "shift_left", (x, amount), threads=threads, progress=progress)


def shift_right(
    server: EvaluationKey, x: Column, amount: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """x >> amount, which may be encrypted, with the sign of x; 0 or -1 if the amount is at least the number of bits."""
    return _one(server, "shift_right", (x, amount), threads=threads, progress=progress)


def rotate_left(
    server: EvaluationKey, x: Column, amount: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """Rotates x towards the more significant bits, by the amount modulo its bits; the amount may be encrypted."""
    return _one(server, "rotate_left", (x, amount), threads=threads, progress=progress)


def rotate_right(
    server: EvaluationKey, x: Column, amount: Operand, *, threads: int = 0, progress: Progress = True
) -> Column:
    """Rotates x towards the less significant bits, by the amount modulo its bits; the amount may be encrypted."""
    return _one(server, "rotate_right", (x, amount), threads=threads, progress=progress)


def cast(
    server: EvaluationKey, x: Column, dtype: npt.DTypeLike, *, threads: int = 0, progress: Progress = True
) -> Column:
    """Converts integers to another type, modulo its size; booleans become 0 and 1."""
    return _one(server, "cast", (x,), kind=_kind(dtype), threads=threads, progress=progress)


def reduce(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """Propagates all carries, so that whoever decrypts the integers learns nothing about how they were computed."""
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
    """Returns the table's output for each integer, by a tree of tables over digits.

    `table` is an array whose length is a power of two, indexed by the low bits of x as an unsigned number, or a
    function of the values of x or, with `bits`, of its low bits. Results have the type of x, or `dtype`.
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
    """Evaluates a piecewise linear function, such as a tax table.

    Each piece is a pair of its start and its slope (the function then begins at 0 and is continuous), or a triple whose
    third number is the value of the piece's line at 0. Results have the type of x, or `dtype`, modulo its size.
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
    """Returns the sum of `function(index, digit)` over all digits, with index 0 for the least significant one.

    It needs one lookup per digit. The most significant digit of signed integers carries their sign.
    """
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
    """Returns the values of x followed by those of y, for fresh packed columns that together fill a ciphertext."""
    return _one(server, "concatenate", (x, y), threads=threads, progress=progress)


def merge(
    server: EvaluationKey, rising: Column, falling: Column, *, threads: int = 0, progress: Progress = True
) -> tuple[Column, Column]:
    """Merges a column in rising order with one in falling order, both of them full packed ciphertexts.

    Returns the smaller and the larger half of all values, each in rising order.
    """
    smaller, larger = _run(server, "merge", (rising, falling), threads=threads, progress=progress)
    return smaller, larger


def bitonic_merge(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """Sorts a full packed column that rises and then falls."""
    return _one(server, "bitonic_merge", (x,), threads=threads, progress=progress)


def sort(server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True) -> Column:
    """Sorts a packed column of one ciphertext per digit, the smallest value first.

    The sorting network has 136 stages for 65,536 places; `plan` predicts its time.
    """
    return _one(server, "sort", (x,), threads=threads, progress=progress)


def largest(
    server: EvaluationKey, x: Column, k: int, *, threads: int = 0, progress: Progress = True
) -> tuple[Column, Column]:
    """Finds the k largest integers of a packed column of one ciphertext per digit.

    Returns booleans that are true in the rows of at least the k-th largest integer (more than k rows, if others equal
    it), and that integer, in every row.

    The server learns neither; digits of 4 bits (`plan(digit_bits=4)`) take the least time for integers of 16 bits.
    `k` may be any number up to that of rows: a median, a quantile.
    """
    selected, least = _run(server, "largest", (x,), count=k, threads=threads, progress=progress)
    return selected, least


def argmax(
    server: EvaluationKey, x: Column, *, threads: int = 0, progress: Progress = True
) -> tuple[Column, Column, Column]:
    """Finds the first row that has the largest integer of a packed column.

    Returns the row's number and the integer, both in every row, and booleans that are true in that row alone.
    """
    row, value, is_there = _run(server, "argmax", (x,), threads=threads, progress=progress)
    return row, value, is_there


def _kind(dtype: npt.DTypeLike) -> tuple[int, bool]:
    """Returns the number of bits of a numpy type, and whether it is signed."""
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
