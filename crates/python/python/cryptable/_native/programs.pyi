"""Compiled part of `cryptable.ml` and of programs in `cryptable.frames`."""

from typing import SupportsFloat, SupportsIndex, final

from _typeshed import SupportsGetItem

from ..progress import Progress
from . import EvaluationKey
from .ciphertexts import Ciphertext
from .frames import Frame

__all__ = ["ProgramPlan", "ServerProgram", "column_of", "join_columns", "plan_program", "run_program"]

@final
class ProgramPlan:
    """Parameters for a program, and the predicted costs of a run. Prints as a list."""

    def __repr__(self, /) -> str: ...
    @property
    def key_file_bytes(self, /) -> int:
        """Size of the evaluation key's file in bytes."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that any result of a full ciphertext is wrong."""

    @property
    def memory_bytes(self, /) -> int:
        """Predicted peak memory in bytes, including keys."""

    @property
    def rows(self, /) -> int:
        """Number of rows with one full ciphertext per column."""

    @property
    def seconds(self, /) -> float:
        """Predicted seconds for one full ciphertext per column."""

    @property
    def security_bits(self, /) -> float:
        """Classical security in bits."""

@final
class ServerProgram:
    """A program that the server runs: formulas over named columns. `ml.compile` makes it from a model, `frames.group_by`
    from sums by groups. Its file is also a step of pipelines.
    """

    def __repr__(self, /) -> str: ...
    @property
    def choices_in_a_row(self, /) -> int:
        """Largest number of nested choices that each need a product."""

    @property
    def columns(self, /) -> list[str]:
        """Names of the columns."""

    @staticmethod
    def from_json(text: str) -> ServerProgram:
        """Reads a program."""

    @property
    def groups(self, /) -> tuple[str, int] | None:
        """Name of the column whose values are groups, and the number of groups, if results are summed by group."""

    @property
    def results(self, /) -> list[str]:
        """Names of the results."""

    @property
    def tables(self, /) -> int:
        """Number of different tables and conditions."""

def column_of(frame: Frame, name: str) -> Ciphertext:
    """Returns the values of a column of a frame."""

def join_columns(columns: SupportsGetItem[int, tuple[str, Ciphertext]]) -> Frame:
    """Joins columns of encrypted values to a frame."""

def plan_program(
    program: ServerProgram,
    *,
    values: SupportsIndex | None = None,
    memory: SupportsIndex | None = None,
    log2_fail: SupportsFloat | SupportsIndex | None = None,
    threads: int | None = None,
    insecure_toy: bool = False,
) -> ProgramPlan:
    """Finds parameters for a program, and predicts the cost of a run."""

def run_program(
    server: EvaluationKey, frame: Frame, program: ServerProgram, threads: int, progress: Progress | None
) -> Frame:
    """Runs a program on the columns of a frame, which it finds by name."""
