"""Workers of a service on a local cluster of Ray: two workers, one of them killed, and the actor of the other."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import cryptable
import numpy as np
import pytest
from cryptable.ray_workers import Worker, share_out
from test_client import call, program

#: A program that ends when its input does.
PROGRAM = "/bin/cat"
needs_program = pytest.mark.skipif(not Path(PROGRAM).exists(), reason=f"there is no {PROGRAM}")


def test_cores_are_shared_out():
    assert share_out([8, 8], None, None) == (2, 8)
    assert share_out([8, 8], 4, None) == (4, 4)
    assert share_out([8, 8], None, 3) == (4, 3)
    assert share_out([8, 2], 3, 5) == (3, 5)
    assert share_out([4, 12], None, None) == (2, 6)
    assert share_out([1], 4, None) == (4, 1)


def wait_until(what, is_so, seconds=300):
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, f"not so after {seconds} s: {what}"
        time.sleep(0.02)


def has_ended(process_id):
    try:
        return b") Z " in Path(f"/proc/{process_id}/stat").read_bytes()
    except OSError:
        return True


@needs_program
def test_a_worker_that_is_stopped_ends_its_program():
    worker, statuses = Worker(), []
    # Where the path is another one, the name is looked for.
    thread = threading.Thread(target=lambda: statuses.append(worker.run(["/nowhere/cat"], {})))
    thread.start()
    wait_until("the program runs", lambda: worker._process is not None)
    worker.stop(10)
    thread.join()
    assert statuses == [0]
    assert worker.run([PROGRAM], {}) == 0, "stopped before it began"
    with pytest.raises(FileNotFoundError, match="no-such-program"):
        Worker().run(["/nowhere/no-such-program"], {})


@needs_program
@pytest.mark.skipif(not Path("/proc").exists(), reason="processes are found in /proc")
def test_a_program_ends_when_its_actor_is_killed():
    script = f"from cryptable.ray_workers import Worker\nWorker().run(['{PROGRAM}'], {{}})"
    actor = subprocess.Popen([sys.executable, "-c", script])
    children = Path(f"/proc/{actor.pid}/task/{actor.pid}/children")
    wait_until("the program runs", lambda: children.read_text().split())
    (child,) = children.read_text().split()
    actor.kill()
    actor.wait()
    wait_until("the program has ended", lambda: has_ended(child))


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def answers(port):
    with socket.socket() as found:
        return found.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def cluster(tmp_path_factory):
    """The port of the client server of a cluster of two cores."""
    if find_spec("ray") is None or find_spec("grpc") is None:
        pytest.skip("ray[client] is not installed: pip install '.[ray]'")
    port, clients = free_port(), free_port()
    words = ["--head", "--block", "--node-ip-address=127.0.0.1", "--num-cpus=2", "--include-dashboard=false"]
    words += [f"--port={port}", f"--ray-client-server-port={clients}", "--disable-usage-stats"]
    ray = [Path(sys.executable).parent / "ray", "start", *words, f"--object-store-memory={2**28}"]
    process = subprocess.Popen(ray, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until("the cluster answers", lambda: answers(clients))
    yield clients
    process.terminate()
    process.wait()


def running(database, name):
    """The number of the process that is in the midst of a client's job, or None."""
    query = """SELECT worker FROM job JOIN client ON client.id = job.client
               WHERE state = 'running' AND progress > 0 AND name = ?"""
    found = database.execute(query, [name]).fetchone()
    return None if found is None else int(found[0].split("-")[1])


def parent(process_id):
    return int(Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()[1])


@pytest.mark.skipif(not Path("/proc").exists(), reason="workers are found in /proc")
def test_killed_workers_and_actors_of_a_service_lose_nothing(cluster, tmp_path, request):
    folder, path = tmp_path / "service", program()
    words = ["--allow-insecure", "--threads", "1", "serve", "--turn", "1", "--listen", "127.0.0.1:0"]
    words += ["--executor", f"ray://127.0.0.1:{cluster}", "--executor-workers", "2", "--folder", folder]
    own = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    server = subprocess.Popen([path, *words], stdout=subprocess.PIPE, text=True, env={**os.environ, "PATH": own})
    request.addfinalizer(server.kill)
    url = server.stdout.readline().strip().removeprefix("serving at ")
    table = tmp_path / "squares.csv"
    table.write_text("".join(f"{x * x % 16}\n" for x in range(16)))
    call(path, "table", "add", "--folder", folder, "--name", "squares", "--table", table)
    secret = cryptable.SecretKey.generate_insecure_toy("single", 16, 16)
    secret.save_evaluation_key(tmp_path / "server.key", progress=False)
    values = np.random.default_rng(9).integers(0, 16, 20_000)
    encrypted = secret.encrypt(values)

    def look_up(name):
        client = cryptable.Client(url, call(path, "client", "add", "--folder", folder, "--name", name), patience=60)
        client.register(tmp_path / "server.key", progress=False)
        return secret.decrypt(client.lookup(encrypted, "squares", progress=False))

    database = sqlite3.connect(folder / "service.sqlite", timeout=30)
    with ThreadPoolExecutor() as pool:
        results = [pool.submit(look_up, name) for name in ("one", "two")]
        wait_until("both jobs run", lambda: running(database, "one") and running(database, "two"))
        killed = [running(database, name) for name in ("one", "two")]
        os.kill(killed[0], signal.SIGKILL)
        os.kill(parent(killed[1]), signal.SIGKILL)
        for result in results:
            np.testing.assert_array_equal(result.result(), values * values % 16)
    leases = database.execute("SELECT lease, worker FROM job").fetchall()
    assert all(lease > 1 for lease, _ in leases), leases
    assert all(has_ended(number) for number in killed)
    workers = {int(worker.split("-")[1]) for _, worker in leases}
    server.terminate()
    assert server.wait(60) == 0
    wait_until("the workers have ended", lambda: all(has_ended(number) for number in workers))
