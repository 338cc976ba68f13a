"""For `cryptable.frames`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, SupportsIndex, final

from ..progress import Progress
from ..tables import TableLike
from . import EvaluationKey, SecretKey
from .programs import ServerProgram

__all__ = [
    "Frame",
    "Schema",
    "decrypt_frame",
    "encrypt_frame",
    "join_frame",
    "largest_rows",
    "select_frame",
    "suggest_schema",
]

@final
class Frame:
    """Encrypted columns with names, all with one number of rows. Public are the names, the number of rows, which columns are signed
    and which may have gaps, and the units of results.
    """

    def __len__(self, /) -> int: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Frame:
        """Reads a frame from a file."""

    @property
    def names(self, /) -> list[str]:
        """Names of the columns."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the frame to a file, as `cryptable encrypt --schema` does."""

@final
class Schema:
    """The integers that represent values of columns: `frames.suggest` makes one of data, `Schema.from_json` of a file's text."""

    def __repr__(self, /) -> str: ...
    def check(self, /, program: ServerProgram) -> None:
        """Checks that frames of this schema may be inputs of a program, as `frames.plan(program, schema=schema)` does: before there
        are keys and anything is encrypted.
        """

    @staticmethod
    def from_json(text: str) -> Schema:
        """Reads a schema, which may be edited before."""

    @property
    def names(self, /) -> list[str]:
        """Names of the columns."""

    def to_json(self, /) -> str:
        """Writes the schema, for people to edit."""

def decrypt_frame(secret: SecretKey, frame: Frame, schema: Schema | None) -> bytes:
    """Decrypts all columns, to a file of Arrow's."""

def encrypt_frame(secret: SecretKey, arrow: bytes, schema: Schema) -> Frame:
    """Encrypts the columns that a schema has, of data in Arrow's format."""

def join_frame(
    server: EvaluationKey, frame: Frame, join: Mapping[str, Any], threads: int, progress: Progress | None
) -> Frame:
    """Adds columns of a table, a text in CSV, to a frame, by a column of keys. Without a default, rows without a line have gaps."""

def largest_rows(
    server: EvaluationKey,
    frame: Frame,
    largest: tuple[Sequence[str], int | None, str],
    threads: int,
    progress: Progress | None,
) -> Frame:
    """Marks the rows of the largest values, whose digits are in some columns of a frame; without their number, the first row of the
    largest.
    """

def select_frame(
    server: EvaluationKey,
    frame: Frame,
    lookups: Sequence[tuple[str, str, TableLike | str | None]],
    schemas: tuple[Schema | None, Schema | None],
    threads: int,
    progress: Progress | None,
) -> Frame:
    """Looks columns of a frame up: for the name of each result a column and its table, or none, to take the column as it is. The
    schemas are those of the frame's columns and of results.
    """

def suggest_schema(arrow: bytes, bits: SupportsIndex) -> tuple[Schema, list[tuple[str, str]]]:
    """Suggests a schema of data, for keys of this many bits."""
