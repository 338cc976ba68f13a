"""For `cryptable.tables`."""

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
    """A table of complex outputs: both parts in fixed point."""

    def __len__(self, /) -> int: ...
    def __new__(cls, /, outputs: npt.ArrayLike, output_modulus: SupportsIndex) -> ComplexTable:
        """Outputs for the inputs 0, 1, ..., whose parts are from -1/2 to below 1/2, rounded to multiples of one over the output
        modulus.
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
        """The outputs as they were rounded."""

@final
class EncryptedTable:
    """Tables that the server looks up without reading them: one for all values, or one for each. Public."""

    def __repr__(self, /) -> str: ...
    @property
    def count(self, /) -> int | None:
        """How many there are; none if one serves all values."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that they are encrypted under."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that they take, or of the file that they lie in."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file, for `EvaluationKey.open_encrypted_table`. An existing one is replaced only if told so."""

@final
class PreparedComplexTable:
    """A complex table encoded for a key: made once, looked up often."""

    def __repr__(self, /) -> str: ...
    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

@final
class PreparedTable:
    """A table encoded for an engine: made once, looked up often."""

    def __repr__(self, /) -> str: ...
    @property
    def input_modulus(self, /) -> int:
        """Inputs are below this modulus."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

    @property
    def output_modulus(self, /) -> int:
        """Outputs are below this modulus."""

    @property
    def signed_inputs(self, /) -> bool:
        """Whether it is for signed values."""

    @property
    def signed_outputs(self, /) -> bool:
        """Whether its outputs are signed."""

@final
class Table:
    """A lookup table: one output for every input 0, 1, ... below the input modulus."""

    def __eq__(self, other: object, /) -> bool: ...
    def __len__(self, /) -> int: ...
    def __new__(cls, /, outputs: npt.ArrayLike, output_modulus: SupportsIndex, *, signed: Signs | None = None) -> Table:
        """Outputs for the inputs 0, 1, ..., and the modulus that all of them are below. With `signed`, inputs and outputs are from
        -P/2 to P/2 - 1, P the modulus of each (those below 0 are the last of the list), or one of both: `"inputs"`, `"outputs"`.
        """

    def __repr__(self, /) -> str: ...
    def halves(self, /) -> tuple[Table, Table]:
        """Two tables of half the output bits each: of the low and of the high half, so that the outputs are
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
        """The outputs in fixed point: fractions of the output modulus from -1/2 to below 1/2, of tables of `real_table`."""

    @property
    def signed_inputs(self, /) -> bool:
        """Whether it is for signed values."""

    @property
    def signed_outputs(self, /) -> bool:
        """Whether its outputs are signed."""

def bfloat16_table(function: Callable[[float], float]) -> Table:
    """The table of a function of bfloat16 numbers from patterns of 16 bits to such, exact to the last bit.

    Results are rounded to the nearest number, ties to even; what is not a number is one pattern.
    """

def gelu(x: SupportsFloat | SupportsIndex) -> float:
    """GELU, `x·Φ(x)`, correct to the last bits of a double."""

def modulus_for(error: SupportsFloat | SupportsIndex) -> int:
    """The least output modulus, a power of two, that rounds real outputs by no more than `error`."""

def real_table(outputs: npt.ArrayLike, output_modulus: SupportsIndex) -> Table:
    """The table of real outputs from -1/2 to below 1/2, rounded to multiples of one over the output modulus."""
