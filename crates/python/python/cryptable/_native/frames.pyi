"""Compiled part of `cryptable.frames`."""

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
    """Encrypted columns with names, all with the same number of rows. The names, the number of rows, the units of results,
    and which columns are signed or may have gaps are public.
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
    """Encoding of the values of columns as integers. `frames.suggest` makes one from data, `Schema.from_json` from a
    file's text.
    """

    def __repr__(self, /) -> str: ...
    def check(self, /, program: ServerProgram) -> None:
        """Checks that frames of this schema can be inputs of a program, as `frames.plan(program, schema=schema)` does,
        before keys are made and anything is encrypted.
        """

    @staticmethod
    def from_json(text: str) -> Schema:
        """Reads a schema, which may have been edited."""

    @property
    def names(self, /) -> list[str]:
        """Names of the columns."""

    def to_json(self, /) -> str:
        """Returns the schema as text that people can edit."""

def decrypt_frame(secret: SecretKey, frame: Frame, schema: Schema | None) -> bytes:
    """Decrypts all columns to an Arrow file."""

def encrypt_frame(secret: SecretKey, arrow: bytes, schema: Schema) -> Frame:
    """Encrypts the columns of a schema, from data in Arrow's format."""

def join_frame(
    server: EvaluationKey, frame: Frame, join: Mapping[str, Any], threads: int, progress: Progress | None
) -> Frame:
    """Adds columns of a table, which is CSV text, to a frame by a column of keys. Without a default, rows whose key is not
    in the table have gaps.
    """

def largest_rows(
    server: EvaluationKey,
    frame: Frame,
    largest: tuple[Sequence[str], int | None, str],
    threads: int,
    progress: Progress | None,
) -> Frame:
    """Marks the rows of the largest values, whose digits are in several columns of a frame; without a number of rows,
    marks the first row of the largest value.
    """

def select_frame(
    server: EvaluationKey,
    frame: Frame,
    lookups: Sequence[tuple[str, str, TableLike | str | None]],
    schemas: tuple[Schema | None, Schema | None],
    threads: int,
    progress: Progress | None,
) -> Frame:
    """Looks up columns of a frame. Each step has the name of a result, a column and its table, or no table to copy the
    column. The schemas are those of the frame's columns and of results.
    """

def suggest_schema(arrow: bytes, bits: SupportsIndex) -> tuple[Schema, list[tuple[str, str]]]:
    """Suggests a schema for data and keys of this many bits."""
