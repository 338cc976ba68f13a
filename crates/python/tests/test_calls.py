"""Plans, progress, Ctrl-C, the interpreter lock, and full-size parameters."""

import os
import signal
import subprocess
import sys
import threading
import time

import cryptable
import numpy as np
import pytest
from cryptable.errors import PlanError


def test_plans_compare_engines():
    plan = cryptable.plan(np.arange(16), values=100)
    assert {candidate.engine for candidate in plan.candidates} == {"packed", "single", "leveled"}
    best = plan.best
    assert best.log2_fail <= -64 and best.security_bits >= 128 and best.seconds > 0
    assert "security" in str(best) or best.method in str(plan)
    assert plan._repr_html_().count("<tr>") == 1 + len(plan.candidates)
    assert "<caption>100 values on " in plan._repr_html_()
    assumed = cryptable.plan([0, 1], engine="single")
    assert assumed.values == 1 and assumed.values_assumed and "1 value is assumed" in str(assumed)
    assert "<caption>1 value (assumed) on " in assumed._repr_html_()
    with pytest.raises(PlanError, match="memory"):
        cryptable.plan(np.arange(256), values=65_536, engine="packed", memory=10**6)
    with pytest.raises(ValueError, match="goal"):
        cryptable.plan([0, 1], goal="beauty")


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
