"""Parameters of keys, predictions, cost models, and all that plans say."""

import json
import os
import pickle

import cryptable
import pytest
from cryptable import CostModel, Parameters, ckks
from cryptable.errors import FormatError, MismatchError, PlanError, RangeError, TrustError


@pytest.mark.parametrize("engine", ["packed", "single", "leveled"])
def test_parameters_of_keys(engine):
    toy = Parameters.insecure_toy(engine, 16, 16)
    secret = cryptable.SecretKey.generate(toy)
    assert secret.parameters == toy and hash(secret.parameters) == hash(toy)
    assert (toy.engine, toy.input_modulus, toy.output_modulus) == (engine, 16, 16)
    assert toy.is_insecure and toy.ring_degree > 1 and toy.values_per_ciphertext >= 1
    assert toy.log2_fail >= toy.log2_fail_per_value
    assert secret.encrypt([1]).parameter_digest == toy.digest and len(toy.digest) == 64
    assert any("ring degree" in repr(found) or "dimension" in repr(found) for found in toy.secrets)
    assert engine in repr(toy) and str(toy)
    assert pickle.loads(pickle.dumps(toy)) == toy
    with pytest.raises(TrustError):
        Parameters.from_bytes(engine, toy.to_bytes())


def test_parameters_for_use_say_what_they_rest_on():
    best = cryptable.plan(moduli=(16, 16), engine="single").best
    parameters = best.parameters
    assert not parameters.is_insecure
    assert 128 <= parameters.security_bits == min(secret.security_bits for secret in parameters.secrets)
    assert parameters.log2_fail <= -64
    assert Parameters.from_bytes("single", parameters.to_bytes()) == parameters
    assert parameters.sum_limits.fresh_lookup >= 1 and "sums of up to" in repr(parameters.sum_limits)


@pytest.mark.parametrize("engine", ["packed", "single", "leveled", "bridged"])
def test_parameters_of_literals(engine):
    kind, bridged = ("single", True) if engine == "bridged" else (engine, False)
    toy = Parameters.insecure_toy(kind, 4, 4, bridged=bridged)
    literal = json.loads(json.dumps(toy.literal))
    again = Parameters.from_literal(kind, literal, allow_insecure=True)
    assert again == toy and again.to_bytes() == toy.to_bytes()
    with pytest.raises(TrustError):
        Parameters.from_literal(kind, literal)
    if engine != "single":
        with pytest.raises(ValueError, match=r"a literal|unknown field"):
            Parameters.from_literal(kind, literal | {"speed": 3}, allow_insecure=True)
    if engine == "packed":
        with pytest.raises(RangeError, match="ring degree"):
            Parameters.from_literal(kind, literal | {"ring_degree": 3}, allow_insecure=True)
        # Another set than any of those with names: its claims are checked.
        other = Parameters.from_literal(kind, literal | {"sparse_weight": 16}, allow_insecure=True)
        assert other != toy


def test_literals_of_vectors():
    toy = ckks.Parameters.named("insecure_toy")
    again = ckks.Parameters.from_literal(json.loads(json.dumps(toy.literal)), allow_insecure=True)
    assert again == toy and hash(again) == hash(toy) and pickle.loads(pickle.dumps(toy)) == toy
    assert len(toy.digest) == 64 and toy.secrets
    with pytest.raises(TrustError):
        ckks.Parameters.from_literal(toy.literal)


def test_toys_of_all_kinds():
    assert Parameters.insecure_toy("packed", 64, 8, digits=[4, 4, 4]).digit_sizes == [4, 4, 4]
    assert Parameters.insecure_toy("packed", 4, 16, complex_outputs=True).values_per_ciphertext == 512
    bridged = Parameters.insecure_toy("single", 4, 4, bridged=True)
    assert pickle.loads(pickle.dumps(bridged)) == bridged
    with pytest.raises(ValueError, match="one of them"):
        Parameters.insecure_toy("packed", 16, 16, entries="encrypted", complex_outputs=True)
    with pytest.raises(MismatchError, match="is of kind leveled, where packed is needed"):
        _ = Parameters.insecure_toy("leveled", 16, 16).digit_sizes


def test_predictions():
    slow, fast = CostModel.of_unit(2e-4), CostModel.of_unit(1e-4)
    plan = cryptable.plan(moduli=(16, 16), engine="packed", values=65_536, threads=1, cost_model=slow)
    found = plan.best.prediction
    assert plan.cost_model.unit == slow.unit == slow.fields["transform"] == 2e-4
    assert found.seconds(65_536, cost_model=slow) == pytest.approx(plan.best.seconds)
    assert found.seconds(65_536, cost_model=fast) == pytest.approx(plan.best.seconds / 2)
    assert found.seconds(65_537, cost_model=slow) == pytest.approx(2 * plan.best.seconds)
    assert found.seconds(65_536, threads=2, cost_model=slow) < plan.best.seconds
    assert found.peak_bytes() >= found.peak_bytes(1) == found.key_memory_bytes + found.working_bytes
    assert found.key_file_bytes == plan.best.key_file_bytes
    assert (found.ciphertext_bytes, found.values_per_ciphertext) == (plan.best.ciphertext_bytes, 65_536)
    eight = plan.best.parameters.prediction(values=65_536, tables=8)
    assert eight.seconds(65_536, cost_model=slow) < 8 * plan.best.seconds
    assert eight.result_bytes > 0 and found.parallelism >= 1
    assert 0 < plan.best.parameters.compressed_bytes(1) < eight.result_bytes


def test_plans_of_moduli_and_of_engines():
    plan = cryptable.plan(moduli=(4, 4), engine="packed", values=1, goal="latency")
    assert plan.best_of("packed").engine == "packed"
    machine = CostModel.of_unit(6e-5)
    once = cryptable.plan(moduli=(256, 256), values=10, threads=1, cost_model=machine)
    often = cryptable.plan(moduli=(256, 256), values=10, threads=1, cost_model=machine, lookups=1_000)
    assert (once.best.engine, often.best.engine, often.lookups) == ("leveled", "packed", 1_000)
    lookups, packed = once.best_for_more_lookups or (0, None)
    assert 1 < lookups < 1_000 and packed.engine == "packed" and often.best_for_more_lookups is None
    assert once.best.key_seconds < 0.2 < often.best.key_seconds
    assert often.best.seconds < often.best.first_seconds < 2 * often.best.key_seconds
    sent = cryptable.plan(moduli=(256, 256), values=2048, threads=1, cost_model=machine, bandwidth=1_000_000).best
    assert sent.engine == "leveled" and sent.transfer_seconds == pytest.approx(sent.key_file_bytes / 1e6)
    assert once.best.transfer_seconds is None
    assert plan.best_of("packed").seconds == plan.best.seconds and plan.best_of("single") is None
    assert plan.crossing is None
    hidden = cryptable.plan(moduli=(16, 16), hide_table=40).best
    assert (hidden.engine, hidden.parameters.hidden_bits) == ("packed", 40)
    hidden = cryptable.plan(moduli=(4, 4), hide_table=50, engine="single").best
    assert (hidden.engine, hidden.parameters.hidden_bits) == ("single", 64)
    assert plan.best.parameters.hidden_bits is None
    with pytest.raises(TypeError, match="moduli"):
        cryptable.plan()
    with pytest.raises(TypeError, match="moduli"):
        cryptable.plan([1, 0], moduli=(2, 2))
    with pytest.raises(PlanError):
        cryptable.plan(moduli=(16, 16), complex_outputs=True, engine="single")
    with pytest.raises(RangeError, match="number of values is 0"):
        cryptable.plan(moduli=(4, 4), values=0)
    assert cryptable.plan(moduli=(4, 4), engine="single", threads=0).threads >= 1


def test_noise_adds_up(packed):
    secret, server = packed
    x = secret.encrypt([1, 2])
    deviation, _ = x.noise
    doubled, _ = server.mul_scalar(x, 2).noise
    assert doubled == pytest.approx(2 * deviation)
    leveled = cryptable.SecretKey.generate_insecure_toy("leveled", 16, 16)
    assert leveled.encrypt([1]).noise is None and leveled.parameters.sum_limits is None


@pytest.mark.skipif(not os.environ.get("CRYPTABLE_SLOW_TESTS"), reason="slow: CRYPTABLE_SLOW_TESTS=1")
def test_from_when_on_packing_pays():
    assert cryptable.plan(moduli=(4, 4), inputs="single", values=10_000).crossing > 1


@pytest.mark.skipif(not os.environ.get("CRYPTABLE_SLOW_TESTS"), reason="slow: CRYPTABLE_SLOW_TESTS=1")
def test_the_list_of_all_parameters():
    found = cryptable.list_parameters()
    assert len(found) > 40 and all(it.security_bits >= 128 for it in found)
    assert all(it.log2_fail is None or it.log2_fail <= -40 for it in found)
    assert any(it.name == "booleans" for it in found) and all(it.secrets for it in found)


def test_files_are_plans_of_the_command_line(tmp_path):
    path = tmp_path / "table.plan"
    toy = Parameters.insecure_toy("leveled", 16, 16)
    toy.save(path)
    assert Parameters.load(path, allow_insecure=True) == toy
    with pytest.raises(TrustError):
        Parameters.load(path)
    with pytest.raises(FileExistsError):
        toy.save(path)
    assert "parameters" in str(cryptable.inspect(path))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FormatError, match=r"table\.plan"):
        Parameters.load(path, allow_insecure=True)
