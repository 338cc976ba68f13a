"""For `cryptable.transciphering`."""

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
    """The client's AES-128 key, with the counters that it has used: messages draw a nonce of their own, and a counter that was
    used before is refused.

    Cleared from memory when it goes; never pickled.
    """

    def __repr__(self, /) -> str: ...
    def authentication_key(self, /) -> AuthenticationKey:
        """The key that checks messages under this one, and decrypts none."""

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
        """Encrypts a file of any length, piece after piece, into a file of a message: what `encrypt` does, in little memory."""

    @staticmethod
    def from_bytes(bytes: SupportsLenAndGetItem[SupportsIndex]) -> AesKey:
        """A key of 16 bytes, which another program uses, too. Python keeps its copy of them."""

    @staticmethod
    def generate() -> AesKey:
        """Draws a fresh key."""

    @property
    def id(self, /) -> str:
        """The key's name, which messages carry. Reveals nothing of the key."""

    @staticmethod
    def load(path: str | PathLike[str]) -> AesKey:
        """Reads a key of 16 bytes, as `save` writes it. It knows of no counters that were used before: leave `first_counter` to
        be drawn.
        """

    def open(self, /, message: Message) -> bytes:
        """Checks a message's tag and decrypts it: `AuthenticityError` if anybody changed it."""

    def open_file(self, /, source: str | PathLike[str], target: str | PathLike[str], *, replace: bool = False) -> None:
        """Checks the tag of a message's file and decrypts it, piece after piece, into a file that its owner alone may read:
        nothing is written if anybody changed it.
        """

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the 16 bytes of the key to a file that its owner alone may read."""

@final
class AuthenticationKey:
    """Checks that messages were made by a holder of the AES key, or of this key, and decrypts none.

    Cleared from memory when it goes; never pickled.
    """

    def __repr__(self, /) -> str: ...
    @staticmethod
    def from_bytes(bytes: SupportsLenAndGetItem[SupportsIndex]) -> AuthenticationKey:
        """A key of 32 bytes, which another holder gave. Python keeps its copy of them."""

    @staticmethod
    def load(path: str | PathLike[str]) -> AuthenticationKey:
        """Reads a key of 32 bytes, as `save` writes it."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the 32 bytes of the key to a file that its owner alone may read."""

    def verify(self, /, message: Message) -> None:
        """Raises `AuthenticityError` if anybody changed the message, or it has no tag."""

@final
class EncryptedBytes:
    """Homomorphically encrypted bytes: what transciphering gives. Public: it may be sent, stored and pickled."""

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
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @staticmethod
    def load(path: str | PathLike[str]) -> EncryptedBytes:
        """Reads a file. An array has one dimension then: files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library reads. An existing one is replaced only if told so."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as a file has them."""

@final
class EncryptedKey:
    """An AES key, encrypted bit by bit: what a server transciphers with. Public: it may be sent, stored and pickled."""

    def __repr__(self, /) -> str: ...
    @property
    def aes_key_id(self, /) -> str:
        """The name of the AES key, which messages carry."""

    @staticmethod
    def from_bytes(bytes: bytes) -> EncryptedKey:
        """Reads the bytes of a file. An array has one dimension then: files have no shape."""

    @property
    def key_id(self, /) -> str:
        """The identifier of the secret key that decrypts it."""

    @staticmethod
    def load(path: str | PathLike[str]) -> EncryptedKey:
        """Reads a file. An array has one dimension then: files have no shape."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library reads. An existing one is replaced only if told so."""

    def to_bytes(self, /) -> bytes:
        """Returns its bytes, as a file has them."""

@final
class EvaluationKey:
    """The server's key of transciphering. Threads may share it."""

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
        """Bytes of memory that it takes."""

    @staticmethod
    def open(path: str | PathLike[str], *, allow_insecure: bool = False) -> EvaluationKey:
        """Maps a key file into memory and checks all of it. Processes that open the same file share its pages."""

    def prepare(self, /, table: TableLike) -> PreparedTable:
        """Encodes a table from bytes to bytes: what `cryptable.table` makes one of."""

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
        """Turns a message into homomorphic ciphertexts, and maps each byte through a table if there is one."""

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
        """Transciphers like `transcipher`, a file with a message of any length, piece after piece, into a file. With
        `first_counter`, 16 bytes, the file holds only what another program encrypted by AES-128-CTR from that counter
        block on.
        """

@final
class Message:
    """Bytes under an AES key, with the counter that they begin with, and a tag. Public: it may be sent, stored and pickled."""

    def __len__(self, /) -> int:
        """The number of bytes of the text."""

    def __repr__(self, /) -> str: ...
    @property
    def aes_key_id(self, /) -> str:
        """The name of the AES key that it is under."""

    @property
    def first_counter(self, /) -> bytes:
        """The counter block that it begins with, 16 bytes."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Message:
        """From the bytes of a file."""

    @staticmethod
    def from_counter_mode(key: AesKey, first_counter: SupportsLenAndGetItem[SupportsIndex], bytes: bytes) -> Message:
        """Bytes that another program encrypted by AES-128-CTR, from a first counter block of 16 bytes on. They have no tag."""

    @property
    def has_tag(self, /) -> bool:
        """Whether holders of the AES key detect changes."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Message:
        """Reads a file of a message."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes a file that every program of this library reads. An existing one is replaced only if told so."""

    def to_bytes(self, /) -> bytes:
        """Its bytes, as a file has them."""

@final
class PreparedTable:
    """A table of 256 bytes, encoded once."""

    def __repr__(self, /) -> str: ...
    @property
    def memory_bytes(self, /) -> int:
        """Bytes of memory that it takes."""

@final
class PublicKey:
    """A public key of transciphering: a contributor encrypts an AES key of its own by it, and sends messages under that."""

    def __repr__(self, /) -> str: ...
    def encrypt(self, /, data: bytes) -> EncryptedBytes:
        """Encrypts bytes homomorphically, without AES."""

    def encrypt_key(self, /, key: AesKey) -> EncryptedKey:
        """Encrypts an AES key bit by bit: what the server gets, once."""

    @staticmethod
    def from_bytes(bytes: bytes, *, allow_insecure: bool = False) -> PublicKey:
        """Reads what `to_bytes` or a file holds."""

    @property
    def id(self, /) -> str:
        """The identifier of the secret key, which its evaluation keys and ciphertexts share."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> PublicKey:
        """Reads a key from a file, whoever wrote it."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file."""

    def to_bytes(self, /) -> bytes:
        """The key as bytes, as a file holds it."""

@final
class SecretKey:
    """The client's secret key of transciphering: encrypts its AES key once, and decrypts what servers make of messages.

    Cleared from memory when it goes; never pickled.
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
        """Decrypts a file of `EvaluationKey.transcipher_file`, piece after piece, into a file that its owner alone may read;
        returns the number of bytes.
        """

    def encrypt(self, /, data: bytes) -> EncryptedBytes:
        """Encrypts bytes homomorphically, without AES."""

    def encrypt_key(self, /, key: AesKey) -> EncryptedKey:
        """Encrypts an AES key bit by bit: what the server gets, once."""

    def evaluation_key(self, /, *, threads: int = 0, progress: Progress | None = True) -> EvaluationKey:
        """Makes the server's key, in memory."""

    @staticmethod
    def generate(*, log2_fail: SupportsFloat | SupportsIndex | None = None, insecure_toy: bool = False) -> SecretKey:
        """Draws a fresh secret, of 128 bits of security; a byte fails with probability at most 2^`log2_fail` (default:
        2^-64).
        """

    @property
    def id(self, /) -> str:
        """The identifier that this key, its evaluation keys and its ciphertexts share. Reveals nothing of the key."""

    @staticmethod
    def load(path: str | PathLike[str], *, allow_insecure: bool = False) -> SecretKey:
        """Reads a key file."""

    @property
    def log2_fail(self, /) -> float:
        """log2 of the probability that a byte goes wrong."""

    def public_key(self, /) -> PublicKey:
        """Makes a public key: anyone who has it encrypts an AES key for this client's server, and sends messages under that."""

    def save(self, /, path: str | PathLike[str], *, replace: bool = False) -> None:
        """Writes the key to a file that its owner alone may read. An existing one is replaced only if told so: what it
        encrypted is lost then.
        """

    def save_evaluation_key(
        self, /, path: str | PathLike[str], *, threads: int = 0, progress: Progress | None = True, replace: bool = False
    ) -> None:
        """Makes the server's key and writes it to a file, never all of it in memory: what a server gets."""

    @property
    def security_bits(self, /) -> float:
        """Security in bits, classical; 0 of toys."""
