"""Exceptions: one class a kind, all of them `CryptableError`. Messages name the value and the limit.

What the disk refuses is Python's own `OSError`, what is no integer a `TypeError`.
"""


class CryptableError(Exception):
    """Anything that the library refuses."""


class RangeError(CryptableError, ValueError):
    """A value, or a number of a request, is too small or too large."""


class TableError(CryptableError, ValueError):
    """A table has the wrong length, or an output outside its modulus."""


class PlanError(CryptableError):
    """No parameters serve what is asked for: within that memory, failure probability or security."""


class MismatchError(CryptableError, ValueError):
    """Objects do not belong together: of another key, other parameters, another engine or modulus."""


class WrongResultError(CryptableError):
    """Canaries have wrong results: the server did not look up all values in the table."""


class NoiseError(CryptableError):
    """A result would have too much noise to be exact, or to be looked up."""


class UnsupportedError(CryptableError):
    """The engine, or the key, does not have this operation."""


class TrustError(CryptableError):
    """A file is refused for its parameters: insecure toys, too many failures, or too much memory."""


class AuthenticityError(CryptableError):
    """A message is not authentic, or its counters were used before."""


class FormatError(CryptableError, ValueError):
    """Bytes are damaged, or are not what they should be."""


class CancelledError(CryptableError):
    """The call was told to stop."""
