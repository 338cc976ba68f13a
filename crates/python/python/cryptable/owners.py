"""Keys of several owners: each holds a part of the secret key, nobody holds all of it, and only all together decrypt.

In this example with three hospitals, each hospital runs its own part of the loops; files and bytes travel between them
over any channel that does not alter them. The server needs no secret.

    >>> import pathlib, tempfile
    >>> import cryptable
    >>> from cryptable import owners
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> session = owners.Session.draw_insecure_toy(3, 16)         # for use: owners.Session.draw(3, 256)
    >>> numbers, kinds = (1, 2, 3), ("first", "keys", "second")
    >>> first, keys, second = ([folder / f"{kind}{number}" for number in numbers] for kind in kinds)
    >>> secrets = [owners.Secret.generate(session, number) for number in numbers]
    >>> commitments = [                                             # save the secret, send this, and then the shares
    ...     secret.write_shares(first[i], keys[i], progress=False)
    ...     for i, secret in enumerate(secrets)
    ... ]
    >>> len({secret.agree(commitments) for secret in secrets})      # all have the same joint key; save the secret again
    1
    >>> for i, secret in enumerate(secrets):
    ...     secret.write_second_share(commitments, first, second[i], progress=False)
    >>> public, server, bits_server = folder / "public", folder / "server", folder / "bits"
    >>> joint = owners.combine(                                     # anyone
    ...     session, commitments, first, keys, second,
    ...     public=public, evaluation=server, bits_evaluation=bits_server, progress=False,
    ... )

Each hospital encrypts with the public key, and the server evaluates a table:

    >>> public = cryptable.PublicKey.load(public, allow_insecure=True)
    >>> server = cryptable.EvaluationKey.open(server, allow_insecure=True)
    >>> bits_server = owners.BitsEvaluationKey.open(bits_server, allow_insecure=True)
    >>> ages = public.encrypt([3, 9, 12, 15])
    >>> risks = owners.lookup(server, bits_server, ages, lambda age: age // 5, output_modulus=4, progress=False)

All hospitals decrypt together: each sends its part, and whoever has all parts sees the results and nothing else.

    >>> risks.combine([secret.part_of(risks) for secret in secrets]).tolist()
    [0, 1, 2, 3]

Decryption can also be delegated: every hospital deals shares to holders, of whom any three can decrypt. Here there are
five holders, and the first and the last two decrypt.

    >>> dealt = [secret.deal(5) for secret in secrets]              # send each share to its holder, in private
    >>> together = [1, 4, 5]
    >>> holders = [
    ...     owners.ThresholdSecret.receive([shares[number - 1] for shares in dealt], allow_insecure=True)
    ...     for number in together
    ... ]
    >>> risks.combine([holder.part_of(risks, together) for holder in holders]).tolist()
    [0, 1, 2, 3]

A part that is missing, duplicated or made for other results is refused, with the number of its owner.
"""

from __future__ import annotations

from ._native import circuits as _circuits
from ._native import owners as _compiled

BitsEvaluationKey = _circuits.EvaluationKey
JointResult = _compiled.JointResult
Secret = _compiled.Secret
Session = _compiled.Session
ThresholdSecret = _compiled.ThresholdSecret

combine = _compiled.combine
lookup = _compiled.lookup

__all__ = [
    "BitsEvaluationKey",
    "JointResult",
    "Secret",
    "Session",
    "ThresholdSecret",
    "combine",
    "lookup",
]
