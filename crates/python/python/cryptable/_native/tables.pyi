"""Compiled part of `cryptable.tables`."""

from collections.abc import Callable
from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final

import numpy as np
import numpy.typing as npt

from ..tables import Signs

__all__ = [
    "ComplexTable",
    "EncryptedTable",
    "PreparedComplexTable",
    "PreparedTable",
    "Table",
    "bfloat16_table",
    "gelu",
    "modulus_for",
    "real_table",
]

@final
class ComplexTable:
    """A table of complex outputs, with both parts in fixed point."""

    def __len__(self, /) -> int: ...
    def __new__(cls, /, outputs: npt.ArrayLike, output_modulus: SupportsIndex) -> ComplexTable:
        """Makes a table from outputs for the inputs 0, 1, ..., whose parts are from -1/2 to below 1/2 and are rounded to
        multiples of one over the output modulus.
        """

    def __repr__(self, /) -> str: ...
    @property
    def input_modulus(self, /) -> int:
        """The number of inputs."""

    @property
    def output_modulus(self, /) -> int:
        """Denominator of both parts."""

    @property
    def outputs(self, /) -> npt.NDArray[np.complex128]:
        """The outputs after rounding."""

@final
class EncryptedTable:
    """Encrypted tables, which the server evaluates without reading them: one for all values, or one per value. Public."""

    def __repr__(self, /) -> str: ...
    @property
    def count(self, /) -> int | None:
        """The number of tables; `None` if one serves all values."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key under which they are encrypted."""

    @property
    def memory_bytes(self, /) -> int:
        """Size in memory, or of the file in which they lie, in bytes."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file for `EvaluationKey.open_encrypted_table`. An existing file is replaced only with `replace=True`."""

@final
class PreparedComplexTable:
    """A complex table encoded for a key, made once and used for any number of lookups."""

    def __repr__(self, /) -> str: ...
    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

@final
class PreparedTable:
    """A table encoded for an engine, made once and used for any number of lookups."""

    def __repr__(self, /) -> str: ...
    @property
    def input_modulus(self, /) -> int:
        """Inputs are below this modulus."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

    @property
    def output_modulus(self, /) -> int:
        """Outputs are below this modulus."""

    @property
    def signed_inputs(self, /) -> bool:
        """Whether its inputs are signed."""

    @property
    def signed_outputs(self, /) -> bool:
        """Whether its outputs are signed."""

@final
class Table:
    """A lookup table: one output for every input 0, 1, ... below the input modulus."""

    def __eq__(self, other: object, /) -> bool: ...
    def __len__(self, /) -> int: ...
    def __new__(cls, /, outputs: npt.ArrayLike, output_modulus: SupportsIndex, *, signed: Signs | None = None) -> Table:
        """Makes a table from outputs for the inputs 0, 1, ..., and the modulus that all of them are below. With
        `signed=True`, inputs and outputs range from -P/2 to P/2 - 1, where P is the modulus of each (inputs below 0 are
        at the end of the list); `"inputs"` and `"outputs"` apply this to one of them.
        """

    def __repr__(self, /) -> str: ...
    def halves(self, /) -> tuple[Table, Table]:
        """Splits the table into two with half the output bits each, for the low and the high half, so that the outputs are
        `low + low.output_modulus * high`.
        """

    @property
    def input_modulus(self, /) -> int:
        """The number of inputs."""

    @property
    def output_modulus(self, /) -> int:
        """All outputs are below this modulus."""

    @property
    def outputs(self, /) -> npt.NDArray[np.integer[Any]]:
        """The outputs."""

    @property
    def reals(self, /) -> npt.NDArray[np.float64]:
        """The outputs of a `real_table` as real numbers: fractions of the output modulus from -1/2 to below 1/2."""

    @property
    def signed_inputs(self, /) -> bool:
        """Whether its inputs are signed."""

    @property
    def signed_outputs(self, /) -> bool:
        """Whether its outputs are signed."""

def bfloat16_table(function: Callable[[float], float]) -> Table:
    """Makes the table of a function of bfloat16 numbers, from patterns of 16 bits to patterns of 16 bits, exact to the
    last bit.

    Results are rounded to the nearest number, ties to even; all NaNs become one pattern.
    """

def gelu(x: SupportsFloat | SupportsIndex) -> float:
    """Evaluates GELU, `x·Φ(x)`, correct to the last bits of a double."""

def modulus_for(error: SupportsFloat | SupportsIndex) -> int:
    """Returns the least output modulus, a power of two, for which the rounding error of real outputs is at most `error`."""

def real_table(outputs: npt.ArrayLike, output_modulus: SupportsIndex) -> Table:
    """Makes the table of real outputs from -1/2 to below 1/2, rounded to multiples of one over the output modulus."""
