"""Dictionaries with keys of 32 or 64 bits, and structured tables of 2^32 entries, on 65,536 encrypted values at once.

A dictionary has up to 65,536 keys.

    >>> import numpy as np
    >>> from cryptable import SecretKey, wide
    >>> plan = wide.plan(8, value_bits=3, insecure_toy=True)     # without `insecure_toy` for use: bits=32
    >>> secret = SecretKey.generate(plan)                        # the client
    >>> values = wide.encrypt(secret, [0x17, 0xF0, 0x18], bits=8)
    >>> server = secret.evaluation_key(progress=False)           # what the server gets
    >>> risks = wide.dictionary(server, {0x17: 3, 0xF0: 5}, default=1, bits=8)
    >>> wide.decrypt(secret, wide.lookup(server, values, risks, progress=False)).tolist()
    [3, 5, 1]

Values are encrypted in words of 16 bits, with one packed ciphertext per word, and results come in words, too. Keys that
are not in the dictionary always map to the default. Tables of two words are made by `sum_of_halves`, `products`,
`pieces`, `classes`, or `recognise`, which finds the structure itself; `PreparedWide.evaluate` evaluates them in the
clear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import as_array
from ._native import EvaluationKey, SecretKey
from ._native import wide as _compiled
from .errors import RangeError
from .progress import Progress
from .tables import whole

PreparedWide = _compiled.PreparedWide
WidePlan = _compiled.WidePlan
WideValues = _compiled.WideValues

__all__ = [
    "PreparedWide",
    "WidePlan",
    "WideValues",
    "classes",
    "decrypt",
    "dictionary",
    "encrypt",
    "lookup",
    "pieces",
    "plan",
    "products",
    "recognise",
    "sum_of_halves",
]


def plan(
    bits: int = 32,
    *,
    value_bits: int | None = None,
    values: int | None = None,
    memory: int | None = None,
    log2_fail: float | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> WidePlan:
    """Finds parameters for dictionaries with keys of `bits` bits, for `SecretKey.generate`.

    `value_bits` is the size of the dictionary's values (default: 14, the fastest), `values` the number of values per
    lookup, `memory` is in bytes, `log2_fail` bounds the failure probability of a whole ciphertext (default: -64), and
    `threads` is the number of threads for which times are predicted.
    """
    return _compiled.plan_wide(
        bits,
        value_bits=value_bits,
        values=values,
        memory=memory,
        log2_fail=log2_fail,
        threads=threads,
        insecure_toy=insecure_toy,
    )


def encrypt(secret: SecretKey, values: npt.ArrayLike, *, bits: int = 32) -> WideValues:
    """Encrypts unsigned integers of `bits` bits, of any shape."""
    return _compiled.encrypt_wide(secret, values, bits)


def decrypt(secret: SecretKey, values: WideValues) -> npt.NDArray[np.uint64]:
    """Decrypts values or results, in the shape that was encrypted."""
    return _compiled.decrypt_wide(secret, values)


def dictionary(
    server: EvaluationKey,
    entries: Mapping[int, int],
    *,
    default: int,
    bits: int = 32,
    value_bits: int | None = None,
) -> PreparedWide:
    """Prepares a dictionary (or a pandas Series) with keys of `bits` bits; `default` is the value of all other keys."""
    pairs = [(whole(key, "a key"), whole(value, f"the value of {key}")) for key, value in dict(entries).items()]
    return _prepared(server, "dictionary", value_bits, bits=bits, default=whole(default, "the default"), pairs=pairs)


def pieces(
    server: EvaluationKey, starts: npt.ArrayLike, values: npt.ArrayLike, *, value_bits: int | None = None
) -> PreparedWide:
    """Prepares a piecewise constant function of two words: the value of the last start that is not above the input.

    The first start is 0.
    """
    found = zip(as_array(starts).tolist(), as_array(values).tolist(), strict=True)
    return _prepared(server, "pieces", value_bits, pairs=list(found))


def classes(
    server: EvaluationKey,
    low: npt.ArrayLike,
    high: npt.ArrayLike,
    outputs: npt.ArrayLike,
    *,
    value_bits: int | None = None,
) -> PreparedWide:
    """Prepares `outputs[high[x // p], low[x % p]]`, a table on classes of words, where a word has p possible values."""
    rows = as_array(outputs)
    return _prepared(server, "classes", value_bits, halves=[_halves(low, high)], outputs=rows.ravel().tolist())


def sum_of_halves(
    server: EvaluationKey, low: npt.ArrayLike, high: npt.ArrayLike, *, value_bits: int | None = None
) -> PreparedWide:
    """Prepares `low[x % p] + high[x // p]`, where a word has p possible values.

    The sum is modulo p, or modulo p*p if `value_bits` says so.
    """
    return _prepared(server, "sum", value_bits, halves=[_halves(low, high)])


def products(server: EvaluationKey, terms: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]]) -> PreparedWide:
    """Prepares the sum of `low[x % p] * high[x // p]` over all terms, modulo p, with factors below p/2.

    A word has p possible values.
    """
    return _prepared(server, "products", None, halves=[_halves(*term) for term in terms])


def recognise(
    server: EvaluationKey,
    source: npt.ArrayLike | Callable[[npt.NDArray[np.uint64]], npt.ArrayLike],
    *,
    value_bits: int | None = None,
) -> PreparedWide:
    """Prepares a table of two words from all of its outputs, after finding its structure.

    The table must be a sum of functions of its words, or have few classes of words; otherwise `PlanError` is raised.
    `source` is an array of the p*p outputs, where a word has p possible values (`wide.plan(...).word_modulus`), or a
    function of arrays of inputs. The call inspects all outputs, which takes minutes for words of 16 bits, and 4 GB per
    byte of an output, so an array may be a `numpy.memmap`. Writable arrays are copied, since other threads keep
    running; read-only arrays, such as those of `numpy.memmap(..., mode="r")`, are not. Outputs are below p, or below
    `2**value_bits`.

    >>> secret = SecretKey.generate(plan(8, value_bits=3, insecure_toy=True))
    >>> server = secret.evaluation_key(progress=False)
    >>> steps = recognise(server, lambda x: np.where(x < 100, 3, 5))
    >>> steps.lookups, steps.evaluate(99), steps.evaluate(100)
    (3, 3, 5)
    """
    p = server.input_modulus
    modulus = p if value_bits is None else 1 << value_bits
    dtype = np.min_scalar_type(modulus - 1)
    if callable(source):
        outputs = np.empty((p, p), dtype)
        low = np.arange(p, dtype=np.uint64)
        for high in range(p):
            outputs[high] = _outputs(source(low + np.uint64(high * p)), modulus, dtype)
        _final(outputs)
    else:
        outputs = _outputs(source, modulus, dtype)
    return _compiled.recognise_wide(server, outputs.reshape(-1), modulus)


def _outputs(values: npt.ArrayLike, modulus: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Checks that outputs are below a modulus and returns them as an array, without a copy if they are unsigned."""
    array = np.ascontiguousarray(as_array(values))
    if array.dtype.kind not in "biu":
        raise TypeError(f"outputs are of type {array.dtype}, but must be integers")
    least, largest = (int(array.min()), int(array.max())) if array.size else (0, 0)
    if least < 0 or largest >= modulus:
        raise RangeError(f"output {least if least < 0 else largest} of the table is not from 0 to {modulus - 1}")
    if array.dtype.kind == "u" and array.dtype.isnative:
        return array
    return _final(array.astype(dtype))


def _final(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Makes an array read-only."""
    array.flags.writeable = False
    return array


def lookup(
    server: EvaluationKey, values: WideValues, table: PreparedWide, *, threads: int = 0, progress: Progress = True
) -> WideValues:
    """Maps every value through a dictionary or a structured table."""
    return _compiled.lookup_wide(server, values, table, threads=threads, progress=progress)


def _halves(low: npt.ArrayLike, high: npt.ArrayLike) -> tuple[list[int], list[int]]:
    return as_array(low).tolist(), as_array(high).tolist()


def _prepared(server: EvaluationKey, kind: str, value_bits: int | None, **given: Any) -> PreparedWide:
    defaults: dict[str, Any] = {"bits": 0, "default": 0, "pairs": [], "halves": [], "outputs": []}
    modulus = None if value_bits is None else 1 << value_bits
    return _compiled.prepare_wide(server, defaults | given | {"kind": kind, "output_modulus": modulus})
