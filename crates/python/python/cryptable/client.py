"""A client of the service `cryptable serve`: sends keys and ciphertexts to a server, and fetches results.

    client = cryptable.Client("https://lookups.example", token)
    key = client.register("server.key")                   # once; named by its digest from then on
    print(client.tables())
    result = client.lookup(encrypted, "risk", key=key)

The client does no cryptography, only HTTP. Interrupted transfers resume where they stopped, and the client waits for a
server that restarts. Errors of the server are raised as `ServiceError`, with its reason.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import ipaddress
import json
import os
import re
import secrets
import time
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ._native import PublicKey
from ._native.ciphertexts import Ciphertext
from .errors import CryptableError
from .progress import Progress, reporting

#: The file of an evaluation key: its path, its bytes, or an open binary file.
KeyFile: TypeAlias = "str | os.PathLike[str] | bytes | BinaryIO"

#: Bytes per part of an upload: the most that an interruption makes the client send again.
PART = 8 << 20

#: Seconds to wait for a silent server, which may be checking gigabytes of keys.
SILENCE = 900.0

#: First and longest pause before a retry, in seconds.
_PAUSES = (0.1, 10.0)

#: Longest answer, in bytes, that is not a result: enough for lists of some ten thousand files.
_LONGEST_ANSWER = 10 << 20

_LATER = (429, 502, 503, 504)

#: Largest number of entries accepted in a list from a server.
_MAX_LISTED = 1_000_000


class ServiceError(CryptableError):
    """A request that the server refused, a server that cannot be reached, or a job that failed.

    `status` is the HTTP status, or 0 if there was no answer; `kind` is the reason in one word; `limit` is the name of
    the limit that was exceeded, if any.
    """

    def __init__(self, message: str, status: int = 0, problem: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        problem = problem or {}
        self.status = status
        self.kind = str(problem.get("type", "")).rpartition(":")[2]
        self.limit: str | None = (problem.get("exceeded") or {}).get("name")
        self.offset: int | None = problem.get("offset")


class Client:
    """A client of one server, at its address and with the token that its operator issued.

    `patience` is the number of seconds for which the client keeps trying to reach a server. Lookups that name no key
    use the one registered last. Proxy settings of the environment are ignored.

    The token and files go to another machine only over TLS (`https://`). `plain_http=True` allows sending them
    unencrypted, readable by anyone on the way.
    """

    def __init__(self, url: str, token: str, *, patience: float = 60.0, plain_http: bool = False) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an address such as https://lookups.example or http://127.0.0.1:8080")
        if parts.scheme == "http" and not plain_http and not _is_loopback(parts.hostname):
            raise ValueError(
                f"{url} is another machine, without TLS: the token would travel in the clear; plain_http=True allows it"
            )
        self._parts = parts
        self._path = parts.path.rstrip("/")
        self._token = token.strip()
        self._patience = patience
        self._key: str | None = None

    def __repr__(self) -> str:
        return f"Client({self._parts.geturl()!r}, token redacted)"

    def __reduce__(self) -> Any:
        raise TypeError("a client holds a token: make another one instead of pickling it")

    def tables(self) -> list[dict[str, Any]]:
        """Lists all tables of the server: `name`, `input_modulus`, `output_modulus`, `digest`."""
        found: list[dict[str, Any]] = self._json("GET", "/v1/tables")
        return found

    def keys(self) -> list[dict[str, Any]]:
        """Lists all evaluation keys of this client, the first registered first: `sha256`, `bytes`, `engine`, ..."""
        return self._list("/v1/keys")

    def ciphertexts(self) -> list[dict[str, Any]]:
        """Lists all ciphertext files of this client, the first sent first: `sha256`, `bytes`, `values` and more."""
        return self._list("/v1/ciphertexts")

    def jobs(self) -> list[dict[str, Any]]:
        """Lists all jobs of this client that the server keeps, the oldest first: `id`, `state`, `order` and more."""
        return self._list("/v1/jobs")

    def register(self, evaluation_key: KeyFile, *, progress: Progress = True) -> str:
        """Sends an evaluation key, as `SecretKey.save_evaluation_key` wrote it, unless the server has it already.

        Returns its SHA-256 digest, which names the key in lookups.
        """
        with _opened(evaluation_key) as file, reporting(progress, "key") as tell:
            self._key = self._upload("evaluation-key", file, tell)
        return self._key

    def publish(self, public_key: PublicKey | KeyFile) -> str:
        """Publishes a public key to all clients of the server, who can then `contribute` values; returns its digest."""
        if isinstance(public_key, PublicKey):
            public_key = public_key.to_bytes()
        with _opened(public_key) as file:
            return self._upload("public-key", file, None)

    def public_keys(self) -> list[dict[str, Any]]:
        """Lists all public keys that clients of the server have published: `owner`, `sha256`, `key_id`, ..."""
        return self._list("/v1/public-keys")

    def public_key(self, owner: str, *, key_id: str | None = None, allow_insecure: bool = False) -> PublicKey:
        """Fetches the public key that a client published last, to encrypt values for that client.

        Only the server vouches for the owner of a key. Ask the owner over another channel for the identifier of its
        secret key and pass it as `key_id`: a public key of any other secret key is then refused.
        """
        found = [key for key in self.public_keys() if key["owner"] == owner]
        if key_id is not None:
            found = [key for key in found if key["key_id"] == key_id]
        if not found:
            of = "" if key_id is None else f" of the secret key {key_id}"
            raise ValueError(f"the client {owner!r} publishes no public key{of}")
        key = found[-1]
        file = self._answer("GET", f"/v1/public-keys/{key['sha256']}/file", most=key["bytes"])
        if hashlib.sha256(file).hexdigest() != key["sha256"]:
            raise ServiceError("the server sent a public key whose digest differs from the listed one")
        public = PublicKey.from_bytes(file, allow_insecure=allow_insecure)
        if key_id is not None and public.id != key_id:
            raise ValueError(f"the server sent a public key of the secret key {public.id}, not of {key_id}")
        return public

    def contribute(self, owner: str, ciphertext: Ciphertext) -> str:
        """Sends values, encrypted under another client's public key, to that client; returns the file's digest.

        They count against this client's limits. The owner sees them among its `ciphertexts`, with this client's name,
        and refers to them by their digest in lookups.
        """
        return self._upload("ciphertext", io.BytesIO(ciphertext.to_bytes()), None, owner)

    def lookup(
        self, ciphertext: Ciphertext | str, table: str, *, key: str | None = None, progress: Progress = True
    ) -> Ciphertext:
        """Maps every value through a table of the server; the result has the shape of the input.

        `key` is the digest of an evaluation key, by default that of the key that `register` sent, or else of a matching
        key on the server. For values that are on the server already, such as those that others contributed, pass the
        digest of their file as `ciphertext`; the file then stays on the server.
        """
        return self.lookup_many(ciphertext, [table], key=key, progress=progress)[0]

    def lookup_many(
        self, ciphertext: Ciphertext | str, tables: Sequence[str], *, key: str | None = None, progress: Progress = True
    ) -> list[Ciphertext]:
        """Maps every value through each of several tables, faster than separate lookups."""
        key = key or self._key or self._key_of(ciphertext)
        if isinstance(ciphertext, str):
            sent = ciphertext
        else:
            sent = self._upload("ciphertext", io.BytesIO(ciphertext.to_bytes()), None)
        order = {"key": key, "ciphertext": sent, "tables": list(tables)}
        # With this key, a request that is sent twice creates one job.
        headers = {"Idempotency-Key": secrets.token_hex(16)}
        job = self._json("POST", "/v1/jobs", order, headers)
        with reporting(progress, "lookup") as tell:
            done = self._wait(job["id"], tell)
        results = [self._fetch(done, place) for place in range(len(tables))]
        # A failed removal must not lose the results: another lookup may still need the file.
        with suppress(ServiceError):
            self._answer("DELETE", f"/v1/jobs/{job['id']}")
        found = [Ciphertext.from_bytes(result) for result in results]
        if isinstance(ciphertext, str):
            return found
        with suppress(ServiceError):
            self._answer("DELETE", f"/v1/ciphertexts/{sent}")
        return [result.reshape(ciphertext.shape) for result in found]

    def remove_key(self, key: str) -> None:
        """Removes an evaluation key from the server."""
        self._answer("DELETE", f"/v1/keys/{key}")

    def _key_of(self, ciphertext: Ciphertext | str) -> str:
        """Returns the digest of the newest key on the server that matches this ciphertext."""
        if isinstance(ciphertext, str):
            file = self._json("GET", f"/v1/ciphertexts/{ciphertext}")
            expected = (file["key_id"], file["parameters"])
        else:
            expected = (ciphertext.key_id, ciphertext.parameter_digest)
        found: list[str] = [key["sha256"] for key in self.keys() if (key["key_id"], key["parameters"]) == expected]
        if not found:
            raise ValueError("no evaluation key on the server matches this ciphertext: send it with `register`")
        return found[-1]

    def _upload(
        self, kind: str, file: BinaryIO, tell: Callable[[int, int], None] | None, recipient: str | None = None
    ) -> str:
        digest = hashlib.sha256()
        file.seek(0)
        while chunk := file.read(1 << 20):
            digest.update(chunk)
        announced = {"kind": kind, "length": file.tell(), "sha256": digest.hexdigest()}
        if recipient is not None:
            announced["recipient"] = recipient
        start, reached = time.monotonic(), 0
        while True:
            upload = self._json("POST", "/v1/uploads", announced)
            if upload["complete"]:
                return digest.hexdigest()
            if upload["offset"] > reached:
                start, reached = time.monotonic(), upload["offset"]
            try:
                self._send_parts(upload, file, tell)
                self._once("POST", f"/v1/uploads/{upload['id']}/complete", b"", {})
                return digest.hexdigest()
            except ServiceError as error:
                # The next round asks the server for its offset again: another attempt may have completed the upload.
                passing = (
                    error.status in (0, 404, *_LATER) or error.kind in ("busy", "slow") or error.offset is not None
                )
                if not passing or time.monotonic() - start > self._patience:
                    raise
            time.sleep(_PAUSES[0])

    def _send_parts(self, upload: dict[str, Any], file: BinaryIO, tell: Callable[[int, int], None] | None) -> None:
        offset, length = upload["offset"], upload["length"]
        file.seek(offset)
        while offset < length:
            part = file.read(PART)
            if not part:
                raise OSError("the file became shorter while it was being sent")
            self._once("PATCH", f"/v1/uploads/{upload['id']}", part, {"Upload-Offset": str(offset)})
            offset += len(part)
            if tell is not None:
                tell(offset, length)

    def _wait(self, job: str, tell: Callable[[int, int], None] | None) -> dict[str, Any]:
        pause = 0.01
        while True:
            found: dict[str, Any] = self._json("GET", f"/v1/jobs/{job}")
            if found["state"] == "done":
                return found
            if found["state"] == "failed":
                raise ServiceError(f"the job failed: {found.get('reason')}")
            if tell is not None:
                tell(int(found["progress"] * 1_000_000), 1_000_000)
            time.sleep(pause)
            pause = min(pause * 1.5, 1.0)

    def _fetch(self, job: dict[str, Any], place: int) -> bytes:
        length, result, start = job["results"][place], b"", time.monotonic()
        path = f"/v1/jobs/{job['id']}/results/{place}"
        while len(result) < length:
            # Resume where the previous answer was cut off.
            headers = {"Range": f"bytes={len(result)}-"}
            part = self._answer("GET", path, headers=headers, most=length - len(result))
            result += part
            if part:
                start = time.monotonic()
            elif time.monotonic() - start > self._patience:
                raise ServiceError("the result was cut off again and again")
            else:
                time.sleep(_PAUSES[0])
        return result

    def _list(self, path: str) -> list[dict[str, Any]]:
        """Returns all entries of a paginated list, following each page's link to the next."""
        found: list[dict[str, Any]] = []
        following: str | None = path
        while following is not None:
            links: list[str] = []
            page: list[dict[str, Any]] = json.loads(self._answer("GET", following, links=links))
            link = re.fullmatch(r'<(/v1/[^>]*)>; rel="next"', "".join(links))
            following = link[1] if link else None
            if following is not None and (not page or len(found) + len(page) > _MAX_LISTED):
                raise ServiceError(f"the server's list has more than {_MAX_LISTED} entries, or pages without content")
            found += page
        return found

    def _json(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        content = b"" if body is None else json.dumps(body).encode()
        return json.loads(self._answer(method, path, content, headers))

    def _answer(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: dict[str, str] | None = None,
        *,
        links: list[str] | None = None,
        most: int | None = None,
    ) -> bytes:
        """Retries until the server answers or patience runs out; appends the header `Link` of the answer to `links`."""
        start, pause = time.monotonic(), _PAUSES[0]
        was_interrupted = False
        while True:
            try:
                return self._once(method, path, body, headers or {}, links=links, most=most)
            except ServiceError as error:
                if method == "DELETE" and was_interrupted and error.status == 404:
                    # An earlier attempt has deleted it, but its answer did not arrive.
                    return b""
                was_interrupted |= error.status == 0
                if error.status not in (0, *_LATER) or time.monotonic() - start + pause > self._patience:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, _PAUSES[1])

    def _once(
        self,
        method: str,
        path: str,
        body: bytes,
        headers: dict[str, str],
        *,
        links: list[str] | None = None,
        most: int | None = None,
    ) -> bytes:
        """Sends one request and returns the answer, or at most `most` bytes of it (for a part of a result)."""
        kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._parts.hostname or "", self._parts.port, timeout=SILENCE)
        headers = {"Authorization": f"Bearer {self._token}", **headers}
        try:
            connection.request(method, self._path + path, body or None, headers)
            response = connection.getresponse()
            content, is_whole = _read(response, most if most is not None else _LONGEST_ANSWER)
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or error
            raise ServiceError(f"cannot reach {self._parts.netloc}: {reason}") from error
        finally:
            connection.close()
        if response.status >= 300:
            raise _refusal(response.status, content)
        if most is None and not is_whole:
            raise ServiceError(
                f"the answer of {self._parts.hostname} is cut off, or longer than {_LONGEST_ANSWER} bytes"
            )
        if links is not None:
            links += response.headers.get_all("Link", [])
        return content


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _read(response: http.client.HTTPResponse, most: int) -> tuple[bytes, bool]:
    """Reads at most `most` bytes of an answer; returns them, and whether they are the whole answer."""
    content = b""
    try:
        while len(content) < most:
            part = response.read(min(most - len(content), PART))
            if not part:
                # Before Python 3.13, a truncated answer ends without an exception.
                return content, not response.length
            content += part
        return content, not response.read(1)
    except http.client.IncompleteRead as cut:
        return content + cut.partial, False


def _refusal(status: int, content: bytes) -> ServiceError:
    try:
        problem = json.loads(content)
        return ServiceError(f"{problem['title']} ({status}): {problem['detail']}", status, problem)
    except (ValueError, KeyError, TypeError):
        return ServiceError(f"the server answers {status}", status)


@contextmanager
def _opened(source: KeyFile) -> Iterator[BinaryIO]:
    if isinstance(source, bytes):
        yield io.BytesIO(source)
    elif isinstance(source, str | os.PathLike):
        with Path(source).open("rb") as file:
            yield file
    else:
        yield source
