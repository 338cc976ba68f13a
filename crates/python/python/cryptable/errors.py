"""Exceptions: one class per kind of error, all derived from `CryptableError`. Messages name the value and the limit.

Failures of the file system are raised as Python's own `OSError`, and values that are not integers as `TypeError`.
"""


class CryptableError(Exception):
    """Base class of all errors of the library."""


class RangeError(CryptableError, ValueError):
    """A value, or a number of a request, is too small or too large."""


class TableError(CryptableError, ValueError):
    """A table has the wrong length, or an output outside its modulus."""


class PlanError(CryptableError):
    """No parameters serve the request within the given memory, failure probability or security."""


class MismatchError(CryptableError, ValueError):
    """Objects do not belong together: they differ in key, parameters, engine or modulus."""


class WrongResultError(CryptableError):
    """Canaries have wrong results, so the server did not look up all values in the table."""


class NoiseError(CryptableError):
    """A result would have too much noise to be exact, or to be looked up."""


class UnsupportedError(CryptableError):
    """The engine or the key does not support this operation."""


class TrustError(CryptableError):
    """A file is refused because of its parameters: insecure toys, too many failures, or too much memory."""


class AuthenticityError(CryptableError):
    """A message is not authentic, or its counters were used before."""


class FormatError(CryptableError, ValueError):
    """Bytes are damaged, or are of another kind than expected."""


class CancelledError(CryptableError):
    """The call was told to stop."""
