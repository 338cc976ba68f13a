"""For `cryptable.owners`."""

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
        """The values, of the parts of all owners in any order: exact integers in the shape that was encrypted."""

    @staticmethod
    def load(path: str | PathLike[str], *, signed: bool = False, allow_insecure: bool = False) -> JointResult:
        """Reads results from a file, as `save` and `cryptable owners lookup` write it."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the results to a file. Their values have one dimension then."""

    @property
    def shape(self, /) -> list[int]:
        """The shape of the values."""

@final
class Secret:
    """An owner's part of the secret key. Save it after `write_shares` and after `agree`, and never go back to an older file."""

    def agree(self, /, commitments: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]]) -> str:
        """Agrees to the commitments of all owners, in any order and once; save the secret then. Returns the identifier of the joint
        key, which owners compare over another channel.
        """

    def deal(self, /, holders: SupportsIndex) -> list[bytes]:
        """Deals a share of the secret to each of `holders` holders, in the order of their numbers from 1 on: after that, any
        as many holders as there are owners decrypt together. Each is for its holder alone, by a way that nobody else reads.
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
        """The owner's part of the decryption of results, for whoever may see them: it hides the secret to a statistical distance of
        `2^log2_distance` over `decryptions` ciphertexts of bits that are ever decrypted under this key. All owners take the same
        numbers.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that its owner alone may read. An existing one is replaced only if told so: what it
        encrypted is lost then.
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
        """Writes the owner's second share to a file, of the commitments and the files of first shares of all owners, each in any
        order.
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
        """Writes the owner's first share and its key share to files, and returns its commitment. Send that at once, and the shares
        after the commitments of all owners are there.
        """

@final
class Session:
    """Parameters and a seed of masks, which all owners of joint keys get before they make them. Public."""

    @staticmethod
    def draw(owners: SupportsIndex, input_modulus: SupportsIndex, *, output_bits: SupportsIndex = 8) -> Session:
        """Draws a session of two to six owners for tables of `input_modulus` inputs, up to 256 of more than three owners. Tables
        with outputs of `output_bits` bits are the fastest; others are served, too.
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
    """A holder's share of the secret key, which all owners dealt. Any as many holders as there are owners decrypt together."""

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
        """The holder's part of a decryption by the holders with the numbers `together`, this one among them, for whoever may see
        the results. The other numbers are those of `Secret.part_of`; every holder takes the same.
        """

    @staticmethod
    def receive(
        dealt: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]], *, allow_insecure: bool = False
    ) -> ThresholdSecret:
        """Sums up what all owners dealt to this holder, in any order."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that its owner alone may read. An existing one is replaced only if told so: what it
        encrypted is lost then.
        """

    @property
    def threshold(self, /) -> int:
        """How many of them decrypt together."""

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
    """Sums the files of all owners' shares up to the files of a public key and of the evaluation keys of values and of bits. Each
    list is in any order; owners whose messages are missing, there twice or others are named.
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
    """Maps every value through a table under joint keys, of values and of bits, and prepares the results for decryption by all
    owners.
    """
