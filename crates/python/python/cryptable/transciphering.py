"""Transciphering: clients send data encrypted with AES-128, which the server turns into homomorphic ciphertexts.

    >>> from cryptable import transciphering
    >>> secret = transciphering.SecretKey.generate(insecure_toy=True)    # without `insecure_toy` for use
    >>> aes = transciphering.AesKey.generate()
    >>> server = secret.evaluation_key(progress=False)                   # to the server, once
    >>> encrypted_key = secret.encrypt_key(aes)                          # to the server, once
    >>> message = aes.encrypt(b"hi")                                     # for every message
    >>> upper = server.prepare(lambda byte: bytes([byte]).upper()[0])    # a table from bytes to bytes
    >>> result = server.transcipher(encrypted_key, message, upper, progress=False)
    >>> secret.decrypt(result)
    b'HI'

A contributor without the secret key encrypts an AES key of its own with `secret.public_key()`:

    >>> contributor = transciphering.AesKey.generate()
    >>> encrypted_key = secret.public_key().encrypt_key(contributor)
    >>> result = server.transcipher(encrypted_key, contributor.encrypt(b"from me"), progress=False)
    >>> secret.decrypt(result)
    b'from me'

`aes.encrypt_file`, `server.transcipher_file` and `secret.decrypt_file` process files of any length piece by piece; they
are compatible with `cryptable aes` on the command line.

Messages that share a counter block reveal their XOR. An `AesKey` therefore draws a nonce for every message, and refuses
explicitly requested counters that it has used before. The server cannot check a message's tag, which `AesKey.open`
checks: send messages over an authenticated channel.
"""

from __future__ import annotations

from ._native import transciphering as _compiled
from ._native.tables import Table
from .tables import TableLike
from .tables import table as _table

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
    "table",
]

AesKey = _compiled.AesKey
AuthenticationKey = _compiled.AuthenticationKey
EncryptedBytes = _compiled.EncryptedBytes
EncryptedKey = _compiled.EncryptedKey
EvaluationKey = _compiled.EvaluationKey
Message = _compiled.Message
PreparedTable = _compiled.PreparedTable
PublicKey = _compiled.PublicKey
SecretKey = _compiled.SecretKey


def table(source: TableLike) -> Table:
    """Makes a table from bytes to bytes, like `cryptable.table`, for `EvaluationKey.prepare`."""
    return _table(source, inputs=256, output_modulus=256)
