"""Plans, progress, Ctrl-C, the interpreter lock, and full-size parameters."""

import os
import signal
import subprocess
import sys
import threading
import time

import cryptable
import cryptable.ray
import numpy as np
import pytest
from cryptable.errors import PlanError, RangeError


def test_plans_compare_engines():
    plan = cryptable.plan(np.arange(16), values=100)
    assert {candidate.engine for candidate in plan.candidates} == {"packed", "single", "leveled"}
    best = plan.best
    assert best.log2_fail <= -64 and best.security_bits >= 128 and best.seconds > 0
    assert "security" in str(best) or best.method in str(plan)
    shown = plan.fastest_per_method
    assert plan._repr_html_().count("<tr>") == 1 + len(shown) <= 1 + len(plan.candidates)
    large = cryptable.plan(np.arange(256), values=100)
    assert "<p>single unavailable: " in large._repr_html_() and "single  unavailable: " in str(large)
    assert "<caption>100 values on " in plan._repr_html_()
    assumed = cryptable.plan([0, 1], engine="single")
    assert assumed.values == 1 and assumed.values_assumed and "1 value (assumed" in str(assumed)
    assert "<caption>1 value (assumed) on " in assumed._repr_html_()
    with pytest.raises(PlanError, match="memory"):
        cryptable.plan(np.arange(256), values=65_536, engine="packed", memory=10**6)
    with pytest.raises(ValueError, match="goal"):
        cryptable.plan([0, 1], goal="beauty")


def test_numbers_of_threads(packed):
    secret, server = packed
    x = secret.encrypt([1, 2, 3])
    for threads in (-1, 1025, 2**70, -(2**70), np.int64(-2)):
        message = f"threads is {threads}, but must be from 0, which is all, to 1024"
        for call in (
            lambda threads: server.lookup(x, np.arange(16), threads=threads, progress=False),
            lambda threads: secret.evaluation_key(threads=threads, progress=False),
            lambda threads: cryptable.plan([0, 1], engine="single", threads=threads),
            lambda threads: cryptable.integers.plan(8, engine="single", insecure_toy=True, threads=threads),
            lambda threads: cryptable.bridges.plan_integers(16, bits=8, insecure_toy=True, threads=threads),
            lambda threads: cryptable.comparisons.plan(8, insecure_toy=True, threads=threads),
            lambda threads: secret.parameters.prediction().seconds(100, threads),
        ):
            with pytest.raises(RangeError, match=message):
                call(threads)
    with pytest.raises(TypeError):
        server.lookup(x, np.arange(16), threads=1.5, progress=False)
    for threads in (0, 1, np.int64(2)):
        assert secret.decrypt(server.lookup(x, np.arange(16), threads=threads, progress=False)).tolist() == [1, 2, 3]
    with pytest.raises(RangeError, match="threads is 0, but must be at least 1"):
        cryptable.ray.lookup([], "server.key", np.arange(16), threads=0)
    # 0 is all of them in plans, too.
    for plan in (
        lambda **how: cryptable.plan([0, 1], engine="single", **how).threads,
        lambda **how: str(cryptable.integers.plan(8, engine="single", insecure_toy=True, **how)).splitlines()[1],
    ):
        assert plan(threads=0) == plan()


def test_progress_is_told_in_the_calling_thread(packed):
    secret, server = packed
    told = []

    def tell(done, total):
        told.append((done, total, threading.get_ident()))

    server.lookup(secret.encrypt([1]), np.arange(16), progress=tell)
    done, total, thread = told[-1]
    assert done == total and thread == threading.get_ident()
    assert [step[0] for step in told] == sorted(step[0] for step in told)


def test_an_exception_in_progress_cancels(packed):
    secret, server = packed

    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        server.lookup(secret.encrypt([1]), np.arange(16), progress=stop)


# Whatever a background job of a shell ignores, which the tests may be.
LOOKUPS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np, cryptable
secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
server = secret.evaluation_key()
values = secret.encrypt(np.arange(16).repeat(60))
print("ready", flush=True)
while True:
    server.lookup(values, np.arange(16))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_control_c_stops_a_lookup():
    process = subprocess.Popen([sys.executable, "-c", LOOKUPS], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors


def test_other_threads_run_meanwhile(packed):
    secret, server = packed
    values = secret.encrypt(np.arange(16).repeat(100))
    turns = 0
    finished = threading.Event()

    def look_up():
        server.lookup(values, np.arange(16), threads=1)
        finished.set()

    worker = threading.Thread(target=look_up)
    worker.start()
    while not finished.wait(0.001):
        turns += 1
    worker.join()
    assert turns > 3


def test_full_size_single_values():
    table = np.random.default_rng(2).integers(0, 16, 16)
    secret = cryptable.SecretKey.generate(cryptable.plan(table, engine="single", values=16))
    server = secret.evaluation_key()
    np.testing.assert_array_equal(secret.decrypt(server.lookup(secret.encrypt(np.arange(16)), table)), table)


def test_the_demo_at_toy_size(tmp_path, capsys):
    pytest.importorskip("PIL")
    path = cryptable.demo(tmp_path / "picture.png", insecure_toy=True)
    assert path.exists() and "0 wrong" in capsys.readouterr().out


# A forked process has none of the threads of its parent.
FORKED = """
import multiprocessing as mp
import sys
import cryptable
import numpy as np
from cryptable import booleans as boolean_keys

def keys(engine):
    secret = cryptable.SecretKey.generate_insecure_toy(engine, 16, 16)
    return secret, secret.evaluation_key(progress=False)

pairs = [keys(engine) for engine in ("packed", "single", "leveled")]
booleans = boolean_keys.SecretKey.generate(insecure_toy=True)
gates = booleans.evaluation_key(progress=False)

def work(i):
    for secret, server in pairs:
        table = (np.arange(16) + i) % 16
        for threads in (0, 2):
            result = server.lookup(secret.encrypt(np.arange(16)), table, threads=threads, progress=False)
            assert secret.decrypt(result).tolist() == table.tolist()
    bits = booleans.encrypt([True, False])
    assert booleans.decrypt(gates.gate("and", bits, bits, progress=False)).tolist() == [True, False]
    fresh, _ = keys("packed")
    assert fresh.decrypt(fresh.encrypt([i])).tolist() == [i]
    return i

context = mp.get_context("fork")

def nested(i):
    with context.Pool(1) as pool:
        return work(i) + pool.apply(work, (i,))

assert work(1) == 1
with context.Pool(2) as pool:
    assert pool.map(work, range(4)) == list(range(4))
child = context.Process(target=lambda: sys.exit(nested(2) != 4))
child.start()
child.join()
assert child.exitcode == 0
assert work(3) == 3
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_forked_processes_have_threads():
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], check=True, timeout=120)
