"""Compiled part of `cryptable.transciphering`."""

from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final

from _typeshed import SupportsGetItem, SupportsLenAndGetItem

from ..progress import Progress
from ..tables import TableLike

__all__ = [
    "AesKey",
    "AuthenticationKey",
    "EncryptedBytes",
    "EncryptedKey",
    "EvaluationKey",
    "Message",
    "PreparedTable",
    "PublicKey",
    "SecretKey",
]

@final
class AesKey:
    """The client's AES-128 key, with a record of the counters that it has used: every message draws its own nonce, and a
    counter used before is refused.

    Erased from memory when it is deleted; it cannot be pickled.
    """

    def __repr__(self, /) -> str: ...
    def authentication_key(self, /) -> AuthenticationKey:
        """Returns the key that checks messages under this one, but cannot decrypt them."""

    def encrypt(
        self, /, message: bytes, *, first_counter: SupportsLenAndGetItem[SupportsIndex] | None = None
    ) -> Message:
        """Encrypts bytes; the result is longer by a header. `first_counter`, 16 bytes, is random by default."""

    def encrypt_file(
        self,
        /,
        source: str | PathLike[str],
        target: str | PathLike[str],
        *,
        first_counter: SupportsLenAndGetItem[SupportsIndex] | None = None,
        replace: bool = False,
    ) -> None:
        """Encrypts a file of any length into a message file, piece by piece: the same as `encrypt`, with little memory."""

    @staticmethod
    def from_bytes(bytes: SupportsLenAndGetItem[SupportsIndex]) -> AesKey:
        """Makes a key of 16 bytes, which another program also uses. Python keeps its own copy of them."""

    @staticmethod
    def generate() -> AesKey:
        """Draws a fresh key."""

    @property
    def id(self, /) -> str:
        """The key's name, which messages carry. It reveals nothing about the key."""

    @staticmethod
    def load(path: str | PathLike[str]) -> AesKey:
        """Reads a key of 16 bytes, as written by `save`. The file does not record which counters were used before, so do
        not set `first_counter`.
        """

    def open(self, /, message: Message) -> bytes:
        """Checks a message's tag and decrypts it; raises `AuthenticityError` if anybody changed it."""

    def open_file(self, /, source: str | PathLike[str], target: str | PathLike[str], *, replace: bool = False) -> None:
        """Checks the tag of a message file and decrypts it, piece by piece, into a file that only its owner may read; if
        anybody changed the message, nothing is written.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the 16 bytes of the key to a file that only its owner may read."""

@final
class AuthenticationKey:
    """A key that checks that messages were made by a holder of the AES key or of this key, but cannot decrypt them.

    Erased from memory when it is deleted; it cannot be pickled.
    """

    def __repr__(self, /) -> str: ...
    @staticmethod
    def from_bytes(bytes: SupportsLenAndGetItem[SupportsIndex]) -> AuthenticationKey:
        """Makes a key from 32 bytes that another holder provided. Python keeps its own copy of them."""

    @staticmethod
    def load(path: str | PathLike[str]) -> AuthenticationKey:
        """Reads a key of 32 bytes, as written by `save`."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the 32 bytes of the key to a file that only its owner may read."""

    def verify(self, /, message: Message) -> None:
        """Checks a message; raises `AuthenticityError` if anybody changed it, or if it has no tag."""

@final
class EncryptedBytes:
    """Homomorphically encrypted bytes, the result of transciphering. Public: they may be sent, stored and pickled."""

    def __eq__(self, other: object, /) -> Any: ...
    def __ge__(self, other: object, /) -> Any: ...
    def __gt__(self, other: object, /) -> Any: ...
    def __hash__(self, /) -> int: ...
    def __le__(self, other: object, /) -> Any: ...
    def __len__(self, /) -> int: ...
    def __lt__(self, other: object, /) -> Any: ...
    def __ne__(self, other: object, /) -> Any: ...
    def __repr__(self, /) -> str: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> EncryptedBytes:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @staticmethod
    def load(path: str | PathLike[str]) -> EncryptedBytes:
        """Reads a file into an array of one dimension, since files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

@final
class EncryptedKey:
    """An AES key, encrypted bit by bit, with which a server transciphers. Public: it may be sent, stored and pickled."""

    def __repr__(self, /) -> str: ...
    @property
    def aes_key_id(self, /) -> str:
        """The name of the AES key, which messages carry."""

    @staticmethod
    def from_bytes(bytes: bytes) -> EncryptedKey:
        """Reads the bytes of a file into an array of one dimension, since files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @staticmethod
    def load(path: str | PathLike[str]) -> EncryptedKey:
        """Reads a file into an array of one dimension, since files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

@final
class EvaluationKey:
    """The server's key for transciphering. Threads may share it."""

    def __repr__(self, /) -> str: ...
    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that it was made from."""

    def lookup_many(
        self,
        /,
        data: EncryptedBytes,
        tables: SupportsGetItem[int, PreparedTable],
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> list[EncryptedBytes]:
        """Maps encrypted bytes through several tables."""

    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its memory
        pages.
        """

    def prepare(self, /, table: TableLike) -> PreparedTable:
        """Encodes a table from bytes to bytes: anything that `cryptable.table` converts to one."""

    def transcipher(
        self,
        /,
        key: EncryptedKey,
        message: Message,
        table: PreparedTable | None = None,
        *,
        threads: int = 0,
        progress: Progress | None = True,
    ) -> EncryptedBytes:
        """Turns a message into homomorphic ciphertexts, and maps each byte through a table if one is given."""

    def transcipher_file(
        self,
        /,
        key: EncryptedKey,
        source: str | PathLike[str],
        target: str | PathLike[str],
        table: PreparedTable | None = None,
        *,
        first_counter: SupportsLenAndGetItem[SupportsIndex] | None = None,
        threads: int = 0,
        progress: Progress | None = True,
        replace: bool = False,
    ) -> None:
        """Transciphers a message file of any length into a file, piece by piece, like `transcipher`. With `first_counter`,
        16 bytes, the input holds only bytes that another program encrypted with AES-128-CTR, starting from that counter
        block.
        """

@final
class Message:
    """Bytes encrypted under an AES key, with their first counter block and a tag. Public: it may be sent, stored and
    pickled.
    """

    def __len__(self, /) -> int:
        """The number of bytes of the text."""

    def __repr__(self, /) -> str: ...
    @property
    def aes_key_id(self, /) -> str:
        """The name of the AES key that encrypted it."""

    @property
    def first_counter(self, /) -> bytes:
        """The counter block at which it begins, 16 bytes."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Message:
        """Reads a message from the bytes of a file."""

    @staticmethod
    def from_counter_mode(key: AesKey, first_counter: SupportsLenAndGetItem[SupportsIndex], bytes: bytes) -> Message:
        """Makes a message from bytes that another program encrypted with AES-128-CTR, starting from a counter block of 16
        bytes. It has no tag.
        """

    @property
    def has_tag(self, /) -> bool:
        """Whether holders of the AES key can detect changes."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Message:
        """Reads a message file."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library can read. An existing file is replaced only with
        `replace=True`.
        """

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as in a file."""

@final
class PreparedTable:
    """A table of 256 bytes, encoded once."""

    def __repr__(self, /) -> str: ...
    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it uses."""

@final
class PublicKey:
    """A public key for transciphering, with which a contributor encrypts an AES key of its own and then sends messages
    under it.
    """

    def __repr__(self, /) -> str: ...
    def encrypt(self, /, data: bytes) -> EncryptedBytes:
        """Encrypts bytes homomorphically, without AES."""

    def encrypt_key(self, /, key: AesKey) -> EncryptedKey:
        """Encrypts an AES key bit by bit; the server needs it once."""

    @staticmethod
    def from_bytes(bytes: bytes, *, allow_insecure: bool = False) -> PublicKey:
        """Reads the bytes that `to_bytes` returns or a file holds."""

    @property
    def id(self, /) -> str:
        """The identifier of the secret key, which its evaluation keys and ciphertexts share."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> PublicKey:
        """Reads a key from a file, whoever wrote it."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file."""

    def to_bytes(self, /) -> bytes:
        """Returns the key as bytes, as in its file."""

@final
class SecretKey:
    """The client's secret key for transciphering: encrypts its AES key once, and decrypts the server's results for its
    messages.

    Erased from memory when it is deleted; it cannot be pickled.
    """

    def __repr__(self, /) -> str: ...
    def decrypt(self, /, data: EncryptedBytes) -> bytes:
        """Decrypts homomorphically encrypted bytes."""

    def decrypt_file(
        self,
        /,
        source: str | PathLike[str],
        target: str | PathLike[str],
        *,
        threads: int = 0,
        progress: Progress | None = True,
        replace: bool = False,
    ) -> int:
        """Decrypts a file written by `EvaluationKey.transcipher_file`, piece by piece, into a file that only its owner may
        read; returns the number of bytes.
        """

    def encrypt(self, /, data: bytes) -> EncryptedBytes:
        """Encrypts bytes homomorphically, without AES."""

    def encrypt_key(self, /, key: AesKey) -> EncryptedKey:
        """Encrypts an AES key bit by bit; the server needs it once."""

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """Makes the server's key, in memory."""

    @staticmethod
    def generate(*, log2_fail: SupportsFloat | SupportsIndex | None = None, insecure_toy: bool = False) -> SecretKey:
        """Draws a fresh secret of 128 bits of security; a byte fails with probability at most 2^`log2_fail` (default:
        2^-64).
        """

    @property
    def id(self, /) -> str:
        """The identifier shared by this key, its evaluation keys and its ciphertexts. It reveals nothing about the
        key.
        """

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a byte goes wrong."""

    def public_key(self, /) -> PublicKey:
        """Makes a public key, with which anyone can encrypt an AES key for this client's server and then send messages
        under it.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that only its owner may read. An existing file is replaced only with
        `replace=True`: everything encrypted under its key is then lost.
        """

    def save_evaluation_key(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's key and writes it to a file, to be sent to the server, without ever holding all of it
        in memory.
        """

    @property
    def security_bits(self, /) -> float:
        """Classical security in bits; 0 for toys."""
