#!/usr/bin/env python3
"""Loads a server of this machine by a load generator (ab, of apache2-utils), among slow and broken clients, kills it in
the middle, starts it again, and checks that nothing that it confirmed is lost: keys, parts of uploads, jobs, results.

    make service-load
    scripts/service_load.py target/release/cryptable --json
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

#: Connections of the server that is loaded: fewer than the slow clients want.
CONNECTIONS = 256

SLOW_CLIENTS = 400

#: Requests that ab has under way at a time, and clients that note what was confirmed to them.
AT_A_TIME = 32
WITNESSES = 4


#: A loaded machine is not the one to calibrate predictions on.
ENVIRONMENT = {**os.environ, "CRYPTABLE_CALIBRATION": "off"}


class Server:
    """`cryptable serve` on a folder, at the same port each time."""

    def __init__(self, program: Path, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._command: list[str] = [
            *(str(program), "serve", "--folder", str(folder), "--listen", f"127.0.0.1:{self.port}"),
            *("--queue", "1000000", "--client-queue", "1000000", "--client-requests", "128"),
            *("--client-objects", "1000000", "--client-jobs", "1000000", "--connections", str(CONNECTIONS)),
        ]
        self._log = folder.with_suffix(".log")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> float:
        """Starts it; returns the seconds until it answers."""
        start = time.monotonic()
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL, stderr=log, env=ENVIRONMENT)
        while True:
            with suppress(OSError):
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
                connection.request("GET", "/healthz")
                if connection.getresponse().status == 200:
                    return time.monotonic() - start
            if self._process.poll() is not None:
                sys.exit("the server ended by itself")
            time.sleep(0.02)

    def kill(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()


class Client:
    """Requests of one client, tried once each."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self.headers = {"Authorization": f"Bearer {token}"}

    def send(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, bytes, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            connection.request(method, path, body, {**self.headers, **(headers or {})})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, answer.read(), found
        finally:
            connection.close()

    def json(self, method: str, path: str, body: Any = None) -> Any:
        content = b"" if body is None else json.dumps(body).encode()
        status, text, _ = self.send(method, path, content)
        if status >= 300:
            sys.exit(f"{method} {path}: {status} {text.decode(errors='replace')}")
        return json.loads(text)

    def pages(self, path: str) -> list[dict[str, Any]]:
        """All pages of a list."""
        found: list[dict[str, Any]] = []
        while path:
            status, text, headers = self.send("GET", path)
            if status >= 300:
                sys.exit(f"GET {path}: {status} {text.decode(errors='replace')}")
            found += json.loads(text)
            link = re.match(r"<([^>]*)>", headers.get("link", ""))
            path = link[1] if link else ""
        return found

    def announce(self, kind: str, content: bytes) -> str:
        digest = hashlib.sha256(content).hexdigest()
        upload = self.json("POST", "/v1/uploads", {"kind": kind, "length": len(content), "sha256": digest})
        return str(upload["id"])

    def upload(self, kind: str, content: bytes) -> str:
        path = f"/v1/uploads/{self.announce(kind, content)}"
        status, text, _ = self.send("PATCH", path, content, {"Upload-Offset": "0"})
        if status != 204:
            sys.exit(f"an upload: {status} {text.decode(errors='replace')}")
        return str(self.json("POST", f"{path}/complete")["sha256"])


class Workplace:
    """Keys, ciphertexts, a table, a client, in a folder that goes."""

    def __init__(self, program: Path, folder: Path) -> None:
        self._program, self._folder = program, folder
        (folder / "table.csv").write_text("3\n2\n1\n0\n")
        (folder / "values.csv").write_text("0\n1\n2\n3\n")
        self.run("keygen --mode single --bits 2 --secret client.key --evaluation server.key")
        self.run("encrypt --secret client.key --input values.csv --output values.ct")
        self.run("serve table add --folder service --name backwards --table table.csv")
        self.token = json.loads(self.run("--json serve client add --folder service --name load"))["token"]

    def run(self, line: str) -> str:
        command = [str(self._program), "--quiet", *line.split()]
        run = subprocess.run(command, cwd=self._folder, check=True, capture_output=True, text=True, env=ENVIRONMENT)
        return run.stdout

    def read(self, name: str) -> bytes:
        return (self._folder / name).read_bytes()

    def is_right(self, result: bytes) -> bool:
        (self._folder / "result.ct").write_bytes(result)
        self.run("decrypt --secret client.key --input result.ct --output result.csv")
        lines = (self._folder / "result.csv").read_text().split()
        return [line for line in lines if line.isdigit()] == ["3", "2", "1", "0"]


def load(port: int, token: str, path: str, requests: int, order: Path | None = None) -> dict[str, float]:
    """Runs ab; returns requests per second, failures, milliseconds within which half, 99 % and all were answered."""
    command = [
        "ab",
        "-q",
        "-r",
        "-s",
        "30",
        "-n",
        str(requests),
        "-c",
        str(AT_A_TIME),
        "-H",
        f"Authorization: Bearer {token}",
    ]
    if order is not None:
        command += ["-T", "application/json", "-p", str(order)]
    text = subprocess.run(
        [*command, f"http://127.0.0.1:{port}{path}"], check=True, capture_output=True, text=True
    ).stdout

    def number(pattern: str) -> float:
        found = re.search(pattern, text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    # Answers of other lengths are none that failed.
    lengths = number(r"Length: (\d+)")
    return {
        "requests": number(r"^Complete requests: +(\d+)"),
        "requests_per_s": number(r"^Requests per second: +([\d.]+)"),
        "failed": number(r"^Failed requests: +(\d+)") - lengths,
        "refused": number(r"^Non-2xx responses: +(\d+)"),
        "median_ms": number(r"^ +50% +(\d+)"),
        "p99_ms": number(r"^ +99% +(\d+)"),
        "longest_ms": number(r"^ +100% +(\d+)"),
    }


@contextmanager
def slow_clients(port: int) -> Iterator[None]:
    """Strangers who send a byte of a head now and then, and connect again when they are dropped."""
    done = threading.Event()

    def dribble() -> None:
        streams: list[socket.socket] = []
        while not done.wait(0.5):
            kept = []
            for stream in streams:
                try:
                    stream.send(b"x")
                    kept.append(stream)
                except OSError:
                    stream.close()
            while len(kept) < SLOW_CLIENTS // 4:
                with suppress(OSError):
                    stream = socket.create_connection(("127.0.0.1", port), timeout=5)
                    stream.send(b"GET /v1/tables HTTP/1.1\r\nx: ")
                    kept.append(stream)
                    continue
                break
            streams = kept
        for stream in streams:
            stream.close()

    threads = [threading.Thread(target=dribble) for _ in range(4)]
    for thread in threads:
        thread.start()
    time.sleep(1)
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


@contextmanager
def broken_clients(port: int, client: Client) -> Iterator[None]:
    """Uploads whose bodies end before their length, again and again."""
    done = threading.Event()

    def truncate() -> None:
        path = f"/v1/uploads/{client.announce('ciphertext', secrets.token_bytes(1 << 20))}"
        while not done.is_set():
            with suppress(OSError, ValueError, KeyError):
                offset = client.send("HEAD", path)[2]["upload-offset"]
                head = (
                    f"PATCH {path} HTTP/1.1\r\nHost: x\r\nAuthorization: {client.headers['Authorization']}\r\n"
                    f"Upload-Offset: {offset}\r\nContent-Length: 100000\r\n\r\n"
                )
                with socket.create_connection(("127.0.0.1", port), timeout=5) as stream:
                    stream.sendall(head.encode() + b"x" * 10)
            done.wait(0.01)

    threads = [threading.Thread(target=truncate) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        done.set()
        for thread in threads:
            thread.join()


class Witnesses:
    """Clients that order jobs and note which were accepted, and send files and note how far they were confirmed."""

    def __init__(self, client: Client, order: bytes) -> None:
        self._client, self._order = client, order
        self._done = threading.Event()
        self.accepted: list[str] = []
        self.content = secrets.token_bytes(256 << 20)
        self.path = f"/v1/uploads/{client.announce('ciphertext', self.content)}"
        self.confirmed = 0
        self._threads = [threading.Thread(target=self._order_jobs) for _ in range(WITNESSES)]
        self._threads.append(threading.Thread(target=self._send_parts))

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _order_jobs(self) -> None:
        while not self._done.is_set():
            with suppress(OSError, http.client.HTTPException):
                status, text, _ = self._client.send("POST", "/v1/jobs", self._order)
                if status == 202:
                    self.accepted.append(json.loads(text)["id"])

    def _send_parts(self) -> None:
        size = 64 << 10
        while not self._done.is_set() and self.confirmed < len(self.content):
            with suppress(OSError, http.client.HTTPException):
                part = self.content[self.confirmed : self.confirmed + size]
                headers = {"Upload-Offset": str(self.confirmed)}
                status, _, found = self._client.send("PATCH", self.path, part, headers)
                if status == 204:
                    self.confirmed = int(found["upload-offset"])


def killed_in_the_middle(server: Server, client: Client, workplace: Workplace, order: Path, key: str) -> dict[str, Any]:
    """Kills the server while ab orders jobs; returns what is there afterwards."""
    token = workplace.token
    command = ["ab", "-q", "-r", "-n", "1000000", "-c", str(AT_A_TIME), "-H", f"Authorization: Bearer {token}"]
    command += ["-T", "application/json", "-p", str(order), f"http://127.0.0.1:{server.port}/v1/jobs"]
    before = {job["id"] for job in client.pages("/v1/jobs")}
    witnesses = Witnesses(client, order.read_bytes())
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as generator:
        witnesses.start()
        time.sleep(2)
        server.kill()
        # Nothing more is confirmed: what comes now is refused by the system.
        generator.kill()
    witnesses.stop()
    seconds = server.start()
    there = {job["id"] for job in client.pages("/v1/jobs")}
    lost = [job for job in witnesses.accepted if job not in there]
    offset = int(client.send("HEAD", witnesses.path)[2]["upload-offset"])
    keys = [found["sha256"] for found in client.pages("/v1/keys")]
    return {
        "accepted_jobs": len(there - before),
        "confirmed_to_witnesses": len(witnesses.accepted),
        "lost_jobs": len(lost),
        "lost_keys": int(key not in keys),
        "lost_bytes": max(witnesses.confirmed - offset, 0),
        "confirmed_bytes": witnesses.confirmed,
        "restart_s": seconds,
    }


def finish(client: Client, workplace: Workplace, limit: float) -> dict[str, Any]:
    """Waits for all jobs, fetches every result and decrypts each that differs from the others."""
    start = time.monotonic()
    while True:
        states: dict[str, int] = {}
        jobs = client.pages("/v1/jobs")
        for job in jobs:
            states[job["state"]] = states.get(job["state"], 0) + 1
        if not states.keys() & {"queued", "running"}:
            break
        if time.monotonic() - start > limit:
            sys.exit(f"not done after {limit} s: {states}")
        time.sleep(1)
    results: dict[bytes, bool] = {}
    wrong = 0
    for job in jobs:
        status, result, _ = client.send("GET", f"/v1/jobs/{job['id']}/results/0")
        if status != 200:
            wrong += 1
            continue
        if result not in results:
            results[result] = workplace.is_right(result)
        wrong += not results[result]
    return {"jobs": len(jobs), "states": states, "wrong_results": wrong, "finished_s": time.monotonic() - start}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("program", type=Path, help="cryptable, built with the features client and serve")
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--json", action="store_true", help="one object in place of lines")
    arguments = parser.parse_args()
    if shutil.which("ab") is None:
        sys.exit(
            "there is no ab, the load generator: apache2-utils of Debian and Ubuntu, httpd-tools of Fedora, has it"
        )
    program = arguments.program.resolve()
    if not program.is_file():
        sys.exit(f"there is no {arguments.program}: cargo build --release -p cryptable-cli --features serve")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workplace = Workplace(program, folder)
        server = Server(program, folder / "service")
        try:
            found = measure(server, workplace, folder, arguments.requests)
        finally:
            server.kill()
    if arguments.json:
        print(json.dumps(found))
    else:
        for part, numbers in found.items():
            print(f"{part}: " + ", ".join(f"{name} {show(number)}" for name, number in numbers.items()))
    killed, finished = found["killed under load"], found["afterwards"]
    lost = sum(killed[name] for name in ("lost_jobs", "lost_keys", "lost_bytes"))
    failed = sum(numbers.get("failed", 0) + numbers.get("refused", 0) for numbers in found.values())
    if lost or failed or finished["wrong_results"] or set(finished["states"]) != {"done"}:
        sys.exit("FAILED: something was lost, refused or wrong")


def measure(server: Server, workplace: Workplace, folder: Path, requests: int) -> dict[str, Any]:
    token = workplace.token
    server.start()
    client = Client(server.port, token)
    key = client.upload("evaluation-key", workplace.read("server.key"))
    ciphertext = client.upload("ciphertext", workplace.read("values.ct"))
    order = folder / "order.json"
    order.write_text(json.dumps({"key": key, "ciphertext": ciphertext, "tables": ["backwards"]}))
    found: dict[str, Any] = {}
    found["tables"] = load(server.port, token, "/v1/tables", requests)
    found["orders"] = load(server.port, token, "/v1/jobs", requests // 10, order)
    with slow_clients(server.port):
        found[f"tables beside {SLOW_CLIENTS} slow strangers"] = load(server.port, token, "/v1/tables", requests)
    with broken_clients(server.port, client):
        found["tables beside truncated uploads"] = load(server.port, token, "/v1/tables", requests)
    found["killed under load"] = killed_in_the_middle(server, client, workplace, order, key)
    found["afterwards"] = finish(client, workplace, 600)
    return found


def show(number: Any) -> str:
    return f"{number:.3g}" if isinstance(number, float) and number % 1 else str(number).removesuffix(".0")


if __name__ == "__main__":
    main()
