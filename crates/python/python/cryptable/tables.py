"""Construction of tables from arrays, dictionaries, functions, pandas Series or other tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from ._arrays import as_array
from ._native.tables import ComplexTable, Table, modulus_for
from ._native.tables import real_table as _real_table
from .errors import TableError

#: Anything that `table` converts to a table. A function also needs the number of inputs.
TableLike: TypeAlias = Table | npt.ArrayLike | Mapping[int, int] | Callable[[int], int]

#: How values are encrypted.
Engine: TypeAlias = Literal["packed", "single", "leveled"]

#: Kinds of table entries: one table in the clear for all values, one in the clear per value, or encrypted.
Entries: TypeAlias = Literal["shared", "per-value", "encrypted"]

#: Signed columns of a table: none, both, or one of them.
Signs: TypeAlias = bool | Literal["inputs", "outputs"]


def table(
    source: TableLike,
    *,
    inputs: int | None = None,
    output_modulus: int | None = None,
    default: int | None = None,
    signed: Signs = False,
) -> Table:
    """Makes a table from an array, a dictionary, a pandas Series or a function.

    `source` is an array of outputs for the inputs 0, 1, ...; a dictionary (or a pandas Series) from inputs to outputs,
    where `default` fills gaps; or a function, which needs the number of `inputs`. Outputs are below `output_modulus`,
    by default the least power of two above all of them, and at least 2. With `signed=True`, inputs (keys of a
    dictionary, arguments of a function) and outputs range from -P/2 to P/2 - 1, where P is the modulus of each;
    `signed="inputs"` and `signed="outputs"` apply this to one of them.

    >>> table([3, 1, 2, 0])
    Table(4 -> 4)
    >>> table({0: 1, 5: 9}, inputs=8, default=0).outputs.tolist()
    [1, 0, 0, 0, 0, 9, 0, 0]
    >>> table(lambda x: x * x // 100, inputs=256, output_modulus=1024)
    Table(256 -> 1024)
    """
    if isinstance(source, Table):
        return source
    signed_inputs, signed_outputs = (signed in (True, column) for column in ("inputs", "outputs"))
    if callable(source):
        outputs = _of_function(source, inputs, signed_inputs)
    elif isinstance(source, Mapping) or _is_series(source):
        outputs = _of_mapping(dict(cast(Mapping[int, int], source)), inputs, default, signed_inputs)
    else:
        outputs = as_array(source)
        if outputs.dtype.kind == "O" and outputs.ndim == 1:  # pandas' own integers, and large ones of Python's
            outputs = np.asarray(outputs.tolist())
            if outputs.dtype.kind == "O" and all(isinstance(it, int) for it in outputs):
                outputs = _array(outputs.tolist())
        if outputs.ndim == 0:
            name = type(source).__name__
            raise TypeError(f"a table is an array of outputs, a dictionary, a Series or a function, not {name}")
    if outputs.ndim != 1:
        raise TableError(f"a table has one dimension, not the shape {outputs.shape}")
    if inputs is not None and len(outputs) != inputs:
        raise TableError(f"the table has {len(outputs)} outputs, but {inputs} inputs")
    return Table(outputs, output_modulus or _modulus(outputs, signed_outputs), signed=signed)


def whole(value: Any, what: str) -> int:
    """Returns a value as an integer; raises a `TypeError` if it has a fraction or is not a number."""
    found: int | None
    try:
        found = int(value)
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None or found != value:
        hint = ": a CodeBook makes integers of words" if isinstance(value, str) else ""
        raise TypeError(f"{what} is {value!r}, but must be an integer{hint}")
    return found


def real_table(
    source: npt.ArrayLike | Callable[[int], float],
    *,
    inputs: int | None = None,
    error: float | None = None,
    output_modulus: int | None = None,
) -> Table:
    """Makes a table of real outputs from -1/2 to below 1/2, for `SecretKey.decrypt_reals`.

    `source` is an array of outputs for the inputs 0, 1, ..., or a function, which needs the number of `inputs`. Outputs
    are rounded to multiples of 1/`output_modulus`, or finely enough that no rounding error exceeds `error`.

    >>> real_table([0.0, 0.25, -0.3, 0.4], error=0.01).reals.tolist()
    [0.0, 0.25, -0.296875, 0.40625]
    """
    return _real_table(_numbers(source, inputs), _steps(error, output_modulus))


def complex_table(
    source: npt.ArrayLike | Callable[[int], complex],
    *,
    inputs: int | None = None,
    error: float | None = None,
    output_modulus: int | None = None,
) -> ComplexTable:
    """Makes a table of complex outputs for `EvaluationKey.lookup_complex`, with keys of a plan for this table.

    Real and imaginary parts follow the rules of `real_table`.

    >>> complex_table(lambda k: 0.25 * 1j**k, inputs=4, error=0.01).outputs.round(9).tolist()
    [(0.25+0j), 0.25j, (-0.25+0j), -0.25j]
    """
    return ComplexTable(_numbers(source, inputs), _steps(error, output_modulus))


def _numbers(source: npt.ArrayLike | Callable[[int], complex], inputs: int | None) -> Any:
    if callable(source):
        if inputs is None:
            raise TableError("a table of a function needs the number of inputs: real_table(f, inputs=256, error=1e-3)")
        source = [source(x) for x in range(inputs)]
    outputs = as_array(source)
    if outputs.ndim != 1 or (inputs is not None and len(outputs) != inputs):
        raise TableError(f"a table has one dimension, an output for each input, not the shape {outputs.shape}")
    return outputs


def _steps(error: float | None, output_modulus: int | None) -> int:
    if error is not None and output_modulus is None:
        return modulus_for(error)
    if error is None and output_modulus is not None:
        return output_modulus
    raise TypeError("a table of real outputs needs either error=... or output_modulus=...")


def _of_function(function: Callable[[int], int], inputs: int | None, signed: bool) -> Any:
    if inputs is None:
        raise TableError("a table of a function needs the number of inputs: table(f, inputs=256)")
    half = -(-inputs // 2)
    arguments = [x - inputs if signed and x >= half else x for x in range(inputs)]
    return _array([whole(function(x), f"the output for input {x}") for x in arguments])


def _of_mapping(source: Mapping[int, int], inputs: int | None, default: int | None, signed: bool) -> Any:
    if not source:
        raise TableError("a table needs at least one entry")
    if inputs is None:
        if signed:
            raise TableError("a signed table of a dictionary needs the number of inputs")
        inputs = max(2, 1 + max(whole(key, "an input of the table") for key in source))
    outputs: list[int | None] = [None if default is None else whole(default, "the default")] * inputs
    for key, value in source.items():
        place = whole(key, "an input of the table")
        if signed and place < 0:
            place += inputs
        if not 0 <= place < inputs:
            raise TableError(f"input {key} of the table is not one of its {inputs} inputs")
        outputs[place] = whole(value, f"the output for input {key}")
    missing = next((place for place, value in enumerate(outputs) if value is None), None)
    if missing is not None:
        raise TableError(f"the table has no output for input {missing}; default=... fills gaps")
    return _array(outputs)


def _array(outputs: Sequence[Any]) -> Any:
    """Converts outputs to an array, and names the first one of more than 64 bits, unlike numpy's own error."""
    found = next(((place, it) for place, it in enumerate(outputs) if not -(2**63) <= it < 2**63), None)
    if found is not None:
        raise TableError(f"output {found[1]} at position {found[0]} has more than 64 bits with its sign")
    return np.array(outputs, dtype=np.int64)


def _modulus(outputs: Any, signed: bool) -> int:
    if outputs.size == 0:
        raise TableError("a table needs at least two outputs")
    if outputs.dtype.kind not in "biu":
        raise TypeError(f"outputs are of type {outputs.dtype}, but must be integers; real_table takes others")
    least, largest = int(outputs.min()), int(outputs.max())
    if signed:
        return int(max(2, 2 * (1 << max(largest.bit_length(), (-least - 1).bit_length() if least < 0 else 0))))
    return int(max(2, 1 << largest.bit_length()))


def _is_series(source: object) -> bool:
    return hasattr(source, "items") and hasattr(source, "index")
