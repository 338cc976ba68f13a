"""A client of the service, `cryptable serve`: keys and ciphertexts go to a server, results come back.

    client = cryptable.Client("https://lookups.example", token)
    key = client.register("server.key")                   # once; named by its digest from then on
    print(client.tables())
    result = client.lookup(encrypted, "risk", key=key)

Nothing here computes: it is HTTP. What is interrupted goes on where it was, and a server that is started again is
waited for. Errors of the server are `ServiceError`, with its reason.
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

#: The file of an evaluation key: its path, its bytes, or the file.
KeyFile: TypeAlias = "str | os.PathLike[str] | bytes | BinaryIO"

#: Bytes of a part of an upload: what an interruption may cost.
PART = 8 << 20

#: Seconds that a server which is silent is waited for: it checks keys of gigabytes meanwhile.
SILENCE = 900.0

#: First and longest pause before something is tried again, in seconds.
_PAUSES = (0.1, 10.0)

#: Longest answer that is no result: lists of some ten thousand files.
_LONGEST_ANSWER = 10 << 20

_LATER = (429, 502, 503, 504)

#: Most entries of a list that a server may send.
_MAX_LISTED = 1_000_000


class ServiceError(CryptableError):
    """The server refuses, cannot be reached, or its job failed.

    `status` is that of HTTP, 0 if there is no answer; `kind` the reason in a word; `limit` the name of the limit that
    was exceeded, if any.
    """

    def __init__(self, message: str, status: int = 0, problem: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        problem = problem or {}
        self.status = status
        self.kind = str(problem.get("type", "")).rpartition(":")[2]
        self.limit: str | None = (problem.get("exceeded") or {}).get("name")
        self.offset: int | None = problem.get("offset")


class Client:
    """A client of a server: its address, and the token that its operator gave out.

    `patience` is how many seconds a server that cannot be reached is tried. A key that was registered last is that of
    lookups which name none. Proxies of the environment are not used.

    Token and files go to another machine by TLS, `https://`; `plain_http=True` sends them without, to be read by
    whoever is on the way.
    """

    def __init__(self, url: str, token: str, *, patience: float = 60.0, plain_http: bool = False) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address such as https://lookups.example or http://127.0.0.1:8080")
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
        raise TypeError("a client holds a token: make another one in place of pickling it")

    def tables(self) -> list[dict[str, Any]]:
        """All tables of the server: `name`, `input_modulus`, `output_modulus`, `digest`."""
        found: list[dict[str, Any]] = self._json("GET", "/v1/tables")
        return found

    def keys(self) -> list[dict[str, Any]]:
        """All evaluation keys that this client registered, the first one first: `sha256`, `bytes`, `engine`, ..."""
        return self._list("/v1/keys")

    def ciphertexts(self) -> list[dict[str, Any]]:
        """All files of ciphertexts that this client sent, the first one first: `sha256`, `bytes`, `values` and more."""
        return self._list("/v1/ciphertexts")

    def jobs(self) -> list[dict[str, Any]]:
        """All jobs of this client that are still there, the first one first: `id`, `state`, `order` and more."""
        return self._list("/v1/jobs")

    def register(self, evaluation_key: KeyFile, *, progress: Progress = True) -> str:
        """Sends an evaluation key, as `SecretKey.save_evaluation_key` wrote it, unless the server has it.

        Returns its SHA-256 digest, by which lookups name it.
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
        """All public keys that clients of the server publish: `owner`, `sha256`, `key_id`, ..."""
        return self._list("/v1/public-keys")

    def public_key(self, owner: str, *, key_id: str | None = None, allow_insecure: bool = False) -> PublicKey:
        """The public key that a client publishes last, to encrypt values for it.

        The server says whose a key is. Ask the owner over another channel for the identifier of its secret key and give
        it as `key_id`: a key of another one is refused.
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
            raise ServiceError("the server sent a public key of another digest than it lists")
        public = PublicKey.from_bytes(file, allow_insecure=allow_insecure)
        if key_id is not None and public.id != key_id:
            raise ValueError(f"the server sent a public key of the secret key {public.id}, not of {key_id}")
        return public

    def contribute(self, owner: str, ciphertext: Ciphertext) -> str:
        """Sends values that the public key of another client encrypted to that client; returns the file's digest.

        They count against this client's limits. The owner sees them among its `ciphertexts`, with this client's name,
        and looks them up by their digest.
        """
        return self._upload("ciphertext", io.BytesIO(ciphertext.to_bytes()), None, owner)

    def lookup(
        self, ciphertext: Ciphertext | str, table: str, *, key: str | None = None, progress: Progress = True
    ) -> Ciphertext:
        """Maps every value through a table of the server; the result has the shape of the input.

        The key is the named one, by default the one that `register` sent, or else one on the server that fits. For
        values that are on the server already, such as those that others contributed, give the digest of their file;
        it stays there.
        """
        return self.lookup_many(ciphertext, [table], key=key, progress=progress)[0]

    def lookup_many(
        self, ciphertext: Ciphertext | str, tables: Sequence[str], *, key: str | None = None, progress: Progress = True
    ) -> list[Ciphertext]:
        """Maps every value through each of several tables, for less than as many lookups."""
        key = key or self._key or self._key_of(ciphertext)
        if isinstance(ciphertext, str):
            sent = ciphertext
        else:
            sent = self._upload("ciphertext", io.BytesIO(ciphertext.to_bytes()), None)
        order = {"key": key, "ciphertext": sent, "tables": list(tables)}
        # Sent again, it is the same job.
        headers = {"Idempotency-Key": secrets.token_hex(16)}
        job = self._json("POST", "/v1/jobs", order, headers)
        with reporting(progress, "lookup") as tell:
            done = self._wait(job["id"], tell)
        results = [self._fetch(done, place) for place in range(len(tables))]
        # What is left on the server is no reason to lose results; another lookup may need the file.
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
        """Returns the key that was sent last of those on the server that this ciphertext goes with."""
        if isinstance(ciphertext, str):
            file = self._json("GET", f"/v1/ciphertexts/{ciphertext}")
            expected = (file["key_id"], file["parameters"])
        else:
            expected = (ciphertext.key_id, ciphertext.parameter_digest)
        found: list[str] = [key["sha256"] for key in self.keys() if (key["key_id"], key["parameters"]) == expected]
        if not found:
            raise ValueError("no evaluation key on the server goes with this ciphertext: `register` sends it")
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
                # Where the server stands is asked anew; another attempt may have completed the upload.
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
                raise OSError("the file became shorter while it was sent")
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
            # What was cut off goes on from there.
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
        """All of a list that comes in pages, each of which says where the next one is."""
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
        """Tries until the server answers, or too long; its header `Link` goes to `links`."""
        start, pause = time.monotonic(), _PAUSES[0]
        was_interrupted = False
        while True:
            try:
                return self._once(method, path, body, headers or {}, links=links, most=most)
            except ServiceError as error:
                if method == "DELETE" and was_interrupted and error.status == 404:
                    # Gone by the request whose answer did not arrive.
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
        """Returns the answer; for a part of a result, at most `most` bytes of it."""
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
    """Reads at most `most` bytes of an answer; returns them, and whether they are all."""
    content = b""
    try:
        while len(content) < most:
            part = response.read(min(most - len(content), PART))
            if not part:
                # Before Python 3.13, what is cut off just ends.
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
