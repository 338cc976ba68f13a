# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Comparing tens of thousands of 32-bit integers
# Integers are encrypted with a bit of headroom, 65,536 in a ciphertext; a comparison is the sign of a difference,
# found by functional bootstrapping digit after digit.

# %%
import os

import cryptable
import numpy as np
from cryptable import comparisons

TOY = bool(os.environ.get("CRYPTABLE_TOY"))  # INSECURE parameters and integers of 8 bits, for the tests
BITS = 8 if TOY else 32

plan = comparisons.plan(bits=BITS, insecure_toy=TOY)
plan

# %%
secret = cryptable.SecretKey.generate(plan)
server = secret.evaluation_key(progress=False)
rng = np.random.default_rng(3)
count = 100 if TOY else 65_536
x, y = rng.integers(-(2 ** (BITS - 1)), 2 ** (BITS - 1), (2, count))
y[::5] = x[::5]
a, b = secret.encrypt_integers(x), secret.encrypt_integers(y)

# %% [markdown]
# ## The server
# Whether x < y, as a ciphertext of bits.

# %%
less = comparisons.less_than(server, a, b, progress=False)
found = secret.decrypt(less)
assert np.array_equal(found, x < y)
f"{np.count_nonzero(found != (x < y))} of {count} wrong; x < y in {found.sum()}"

# %% [markdown]
# Maximum, minimum, ReLU, absolute value and clamping have the same form; their results are integers in digits:
# `secret.decrypt_integers(comparisons.maximum(server, a, b))`.
