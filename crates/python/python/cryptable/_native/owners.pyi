"""Compiled part of `cryptable.owners`."""

from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final

import numpy.typing as npt
from _typeshed import SupportsGetItem

from ..progress import Progress
from ..tables import Signs, TableLike
from . import EvaluationKey
from .ciphertexts import Ciphertext
from .circuits import EvaluationKey as EvaluationKey2

__all__ = ["JointResult", "Secret", "Session", "ThresholdSecret", "combine", "lookup"]

@final
class JointResult:
    """Results of a lookup that all owners of a key decrypt together."""

    def combine(self, /, parts: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]]) -> npt.NDArray[Any]:
        """Returns the values from the parts of all owners, in any order: exact integers in the shape that was encrypted."""

    @staticmethod
    def load(path: str | PathLike[str], *, signed: bool = False, allow_insecure: bool = False) -> JointResult:
        """Reads results from a file, as `save` and `cryptable owners lookup` write it."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the results to a file. After loading, their values have one dimension."""

    @property
    def shape(self, /) -> list[int]:
        """The shape of the values."""

@final
class Secret:
    """An owner's part of the secret key. Save it after `write_shares` and again after `agree`, and never return to an
    older file.
    """

    def agree(self, /, commitments: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]]) -> str:
        """Agrees to the commitments of all owners, in any order, and only once; save the secret afterwards. Returns the
        identifier of the joint key, which owners should compare over another channel.
        """

    def deal(self, /, holders: SupportsIndex) -> list[bytes]:
        """Deals a share of the secret to each of `holders` holders, in the order of their numbers from 1 on. Afterwards,
        any group of holders as large as the number of owners can decrypt together. Send each share privately to its
        holder alone.
        """

    @staticmethod
    def generate(session: Session, owner: SupportsIndex) -> Secret:
        """Draws the secret of an owner, counted from 1."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> Secret:
        """Reads a key file."""

    @property
    def owner(self, /) -> int:
        """The number of the owner, counted from 1."""

    def part_of(
        self,
        /,
        result: JointResult,
        *,
        log2_distance: SupportsFloat | SupportsIndex = ...,
        decryptions: SupportsIndex = 65536,
    ) -> bytes:
        """Returns the owner's part of the decryption of results, for whoever may see them. It hides the secret to a
        statistical distance of `2^log2_distance` over all `decryptions` ciphertexts of bits that are ever decrypted
        under this key. All owners must use the same numbers.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that only its owner may read. An existing file is replaced only with
        `replace=True`: everything encrypted under its key is then lost.
        """

    def write_second_share(
        self,
        /,
        commitments: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]],
        first: SupportsGetItem[int, str | PathLike[str]],
        path: str | PathLike[str],
        *,
        threads: int = 0,
        progress: Progress | None = True,
        replace: bool = False,
    ) -> None:
        """Writes the owner's second share to a file, computed from the commitments and first-share files of all owners,
        each in any order.
        """

    def write_shares(
        self,
        /,
        first: str | PathLike[str],
        keys: str | PathLike[str],
        *,
        threads: int = 0,
        progress: Progress | None = True,
        replace: bool = False,
    ) -> bytes:
        """Writes the owner's first share and its key share to files, and returns its commitment. Send the commitment at
        once, and the shares only after the commitments of all owners have arrived.
        """

@final
class Session:
    """Parameters and a seed of masks, which all owners of a joint key need before they make it. Public."""

    @staticmethod
    def draw(owners: SupportsIndex, input_modulus: SupportsIndex, *, output_bits: SupportsIndex = 8) -> Session:
        """Draws a session of two to six owners for tables of `input_modulus` inputs, at most 256 with more than three
        owners. Tables with outputs of `output_bits` bits are the fastest; others are supported, too.
        """

    @staticmethod
    def draw_insecure_toy(owners: SupportsIndex, input_modulus: SupportsIndex) -> Session:
        """Draws a session of a small ring without any security, for tests."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> Session:
        """Reads a session from a file."""

    @property
    def owners(self, /) -> int:
        """The number of owners."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the session to a file."""

@final
class ThresholdSecret:
    """A holder's share of the secret key, which all owners dealt. Any group of holders as large as the number of owners
    can decrypt together.
    """

    @property
    def holder(self, /) -> int:
        """The number of the holder, counted from 1."""

    @property
    def holders(self, /) -> int:
        """The number of holders."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> ThresholdSecret:
        """Reads a key file."""

    def part_of(
        self,
        /,
        result: JointResult,
        together: SupportsGetItem[int, SupportsIndex],
        *,
        log2_distance: SupportsFloat | SupportsIndex = ...,
        decryptions: SupportsIndex = 65536,
    ) -> bytes:
        """Returns the holder's part of a decryption by the holders with the numbers `together`, including this one, for
        whoever may see the results. The other numbers are those of `Secret.part_of`, and must be the same for every
        holder.
        """

    @staticmethod
    def receive(
        dealt: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]], *, allow_insecure: bool = False
    ) -> ThresholdSecret:
        """Adds up the shares that all owners dealt to this holder, in any order."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that only its owner may read. An existing file is replaced only with
        `replace=True`: everything encrypted under its key is then lost.
        """

    @property
    def threshold(self, /) -> int:
        """The number of holders that decrypt together."""

def combine(
    session: Session,
    commitments: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]],
    first: SupportsGetItem[int, str | PathLike[str]],
    keys: SupportsGetItem[int, str | PathLike[str]],
    second: SupportsGetItem[int, str | PathLike[str]],
    *,
    public: str | PathLike[str],
    evaluation: str | PathLike[str],
    bits_evaluation: str | PathLike[str],
    threads: int = 0,
    progress: Progress | None = True,
    replace: bool = False,
) -> str:
    """Combines the share files of all owners into the files of a public key and of the evaluation keys of values and of
    bits. Each list may be in any order; an error names owners whose messages are missing, duplicated or wrong.
    """

def lookup(
    server: EvaluationKey,
    bits_server: EvaluationKey2,
    values: Ciphertext,
    table: TableLike,
    *,
    output_modulus: SupportsIndex,
    signed: Signs | None = None,
    threads: int = 0,
    progress: Progress | None = True,
) -> JointResult:
    """Maps every value through a table under joint keys, of values and of bits, and prepares the results for decryption by
    all owners.
    """
