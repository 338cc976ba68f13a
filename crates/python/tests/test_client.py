"""The client of the service, against a program that was built with the feature `serve`."""

import io
import os
import pickle
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

import cryptable
import numpy as np
import pytest
from cryptable.client import ServiceError

BUILDS = Path(__file__).parents[3] / "target"


def program():
    named = os.environ.get("CRYPTABLE_PROGRAM")
    found = [Path(named)] if named else [BUILDS / name / "cryptable" for name in ("checks", "release")]
    for path in found:
        if path.exists() and subprocess.run([path, "serve", "--help"], capture_output=True).returncode == 0:
            return path
    pytest.skip("no program with the feature serve was built")


def call(path, *words):
    result = subprocess.run([path, "serve", *words], capture_output=True, text=True, check=True)
    return result.stdout.strip()


class Server:
    def __init__(self, folder):
        self.program, self.folder, self.address = program(), folder, "127.0.0.1:0"
        self.start()

    def start(self):
        words = ["serve", "--allow-insecure", "--listen", self.address, "--folder", self.folder]
        self.process = subprocess.Popen([self.program, *words], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip().removeprefix("serving at ")
        self.address = self.url.removeprefix("http://")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("service")
    server = Server(folder / "store")
    table = folder / "squares.csv"
    table.write_text("".join(f"{x * x % 16}\n" for x in range(16)))
    call(server.program, "table", "add", "--folder", server.folder, "--name", "squares", "--table", table)
    yield server
    server.kill()


@pytest.fixture
def client(service, request):
    name = request.node.name.replace("[", "-").replace("]", "")
    token = call(service.program, "client", "add", "--folder", service.folder, "--name", name)
    return cryptable.Client(service.url, token, patience=20)


def register(client, secret, tmp_path):
    path = tmp_path / "server.key"
    secret.save_evaluation_key(path, progress=False)
    return client.register(path, progress=False)


def test_a_lookup_over_http_is_the_table(client, secret, tmp_path):
    assert client.tables()[0]["name"] == "squares"
    register(client, secret, tmp_path)
    values = np.arange(12).reshape(3, 4)
    result = client.lookup(secret.encrypt(values), "squares", progress=False)
    assert np.array_equal(secret.decrypt(result), values * values % 16)


def test_keys_of_earlier_programs_are_found(client, service, secret, tmp_path):
    x = secret.encrypt([1, 2, 3])
    with pytest.raises(ValueError, match="no evaluation key on the server matches this ciphertext: send it with"):
        client.lookup(x, "squares", progress=False)
    register(client, secret, tmp_path)
    later = cryptable.Client(service.url, client._token, patience=20)
    assert secret.decrypt(later.lookup(x, "squares", progress=False)).tolist() == [1, 4, 9]


def test_a_killed_server_is_waited_for(client, service, packed, tmp_path):
    secret, _ = packed
    register(client, secret, tmp_path)
    service.kill()
    service.start()
    values = np.arange(16)
    seen = []
    tell = lambda done, total: seen.append((done, total))  # noqa: E731
    result = client.lookup_many(secret.encrypt(values), ["squares", "squares"], progress=tell)
    assert all(np.array_equal(secret.decrypt(one), values * values % 16) for one in result)


def test_removals_whose_answer_was_lost_are_done(monkeypatch):
    client = cryptable.Client("http://127.0.0.1:9", "token", patience=20)
    answers = [ServiceError("no answer"), ServiceError("not found", 404), ServiceError("not found", 404)]

    def once(*_, **__):
        raise answers.pop(0)

    monkeypatch.setattr(client, "_once", once)
    client.remove_key("0")
    with pytest.raises(ServiceError, match="not found"):
        client.remove_key("0")


def test_refusals_have_their_reason(client, service, packed, tmp_path):
    secret, _ = packed
    with pytest.raises(ServiceError, match="unauthorized") as caught:
        cryptable.Client(service.url, "wrong").tables()
    assert (caught.value.status, caught.value.kind) == (401, "unauthorized")
    with pytest.raises(ServiceError) as caught:
        client.register(b"no key", progress=False)
    assert (caught.value.status, caught.value.kind) == (422, "unusable")
    with pytest.raises(ValueError, match="no evaluation key"):
        client.lookup(secret.encrypt([1]), "squares")
    register(client, secret, tmp_path)
    with pytest.raises(ServiceError, match="no such table"):
        client.lookup(secret.encrypt([1]), "nothing")


def test_lists_come_in_pages(client, secret, tmp_path):
    key = register(client, secret, tmp_path)
    found = client.keys()
    assert [one["sha256"] for one in found] == [key]
    files = [secret.encrypt([value]).to_bytes() for value in range(3)]
    sent = [client._upload("ciphertext", io.BytesIO(file), None) for file in files]
    for found in (client.ciphertexts(), client._list("/v1/ciphertexts?limit=1")):
        assert [file["sha256"] for file in found] == sent
    assert client.jobs() == []


def test_tokens_are_not_shown(client):
    assert "redacted" in repr(client)
    with pytest.raises(TypeError):
        pickle.dumps(client)
    with pytest.raises(ValueError):
        cryptable.Client("ftp://x", "token")
    with pytest.raises(ServiceError, match="cannot reach"):
        cryptable.Client("http://127.0.0.1:9", "token", patience=0).tables()


def test_tokens_travel_in_the_clear_only_where_they_are_told_to():
    for url in (
        "http://10.0.0.5",
        "http://lookups.example:80",
        "http://localhost.example",
        "http://localhost@10.0.0.5",
    ):
        with pytest.raises(ValueError, match="in the clear"):
            cryptable.Client(url, "token")
        cryptable.Client(url, "token", plain_http=True)
    for url in ("http://127.0.0.1:1", "http://[::1]", "http://localhost", "https://lookups.example"):
        cryptable.Client(url, "token")


def answering(*answers):
    """The address of a server that gives these answers, one after the other, and closes each connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        for answer in answers:
            connection, _ = listener.accept()
            with connection:
                while b"\r\n\r\n" not in connection.recv(1 << 16):
                    pass
                # A client that has enough closes it.
                with suppress(OSError):
                    connection.sendall(answer)
        listener.close()

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_no_more_is_taken_than_was_said():
    head = b"HTTP/1.1 206 Partial Content\r\nContent-Length: 100000\r\n\r\n"
    # More than was said; then cut off, and gone on with.
    for answers in [[head + bytes(100_000)], [head + bytes(4), head, head + bytes(6)]]:
        client = cryptable.Client(answering(*answers), "token", patience=5)
        assert client._fetch({"id": "0", "results": [10]}, 0) == bytes(10)
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[]"
    with pytest.raises(ServiceError, match="cut off"):
        cryptable.Client(answering(cut), "token", patience=0).tables()
    endless = b"HTTP/1.1 200 OK\r\nContent-Length: 20000000\r\n\r\n" + bytes(20_000_000)
    with pytest.raises(ServiceError, match="longer than"):
        cryptable.Client(answering(endless), "token", patience=0).tables()


def test_a_contributor_encrypts_by_the_published_key(service, client, secret, tmp_path):
    register(client, secret, tmp_path)
    published = client.publish(secret.public_key())
    owner = next(key["owner"] for key in client.public_keys() if key["sha256"] == published)
    token = call(service.program, "client", "add", "--folder", service.folder, "--name", "a-contributor")
    contributor = cryptable.Client(service.url, token, patience=20)
    public = contributor.public_key(owner, key_id=secret.id, allow_insecure=True)
    assert public.id == secret.id
    sent = contributor.contribute(owner, public.encrypt([3, 7, 15]))
    assert [file["contributor"] for file in client.ciphertexts()] == ["a-contributor"]
    result = client.lookup(sent, "squares", progress=False)
    assert secret.decrypt(result).tolist() == [9, 1, 1]
    # The file stays with its contributor; neither sees the other's keys or jobs.
    assert [file["recipient"] for file in contributor.ciphertexts()] == [owner]
    assert contributor.keys() == [] and contributor.jobs() == []
    with pytest.raises(ValueError, match="publishes no public key"):
        contributor.public_key("nobody")
    with pytest.raises(ValueError, match="of the secret key 00"):
        contributor.public_key(owner, key_id="00")
    with pytest.raises(ServiceError, match="publishes a public key"):
        contributor.contribute("a-contributor", public.encrypt([1]))
