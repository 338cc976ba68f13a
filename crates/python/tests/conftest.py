"""Keys of toy parameters, made once."""

import cryptable
import pytest

ENGINES = ["packed", "single", "leveled"]


@pytest.fixture(scope="session", params=ENGINES)
def secret(request):
    return cryptable.SecretKey.generate_insecure_toy(request.param, 16, 16)


@pytest.fixture(scope="session")
def server(secret):
    return secret.evaluation_key(progress=False)


@pytest.fixture(scope="session")
def packed():
    secret = cryptable.SecretKey.generate_insecure_toy("packed", 16, 16)
    return secret, secret.evaluation_key(progress=False)
