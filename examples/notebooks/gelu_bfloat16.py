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
# # GELU of bfloat16 numbers, exact to the last bit
# A bfloat16 number is one of 65,536 patterns, so any function of it is a table. Networks' activations are then not
# approximated by polynomials: results are those of the function itself, rounded once.

# %%
import os
import time

import cryptable
import numpy as np
from cryptable import bfloat16

TOY = bool(os.environ.get("CRYPTABLE_TOY"))  # INSECURE parameters and few numbers, for the tests
SHAPE = (1, 2) if TOY else (256, 256)

activations = np.random.default_rng(1).normal(0, 2, SHAPE).astype(np.float32)
patterns = bfloat16.patterns(activations)
activations.shape, activations.size

# %% [markdown]
# ## The plan
# For 65,536 numbers at once it is one multiplexer tree over packed values; a few numbers would be faster one by one, as
# single values in digits (engine `leveled`).

# %%
table = bfloat16.table(bfloat16.gelu)
plan = cryptable.plan(table, values=65_536, memory=9_000_000_000)
plan

# %%
few = cryptable.plan(table, values=2).best
print(f"two numbers: {few.engine}, {few.method}, {few.seconds:.2f} s predicted")

# %% [markdown]
# ## Keys, encryption, lookup, decryption

# %%
if TOY:
    secret = cryptable.SecretKey.generate_insecure_toy("leveled", 65_536, 65_536)
else:
    secret = cryptable.SecretKey.generate(plan)
server = secret.evaluation_key(progress=False)  # what the server gets
encrypted = secret.encrypt(patterns)
start = time.perf_counter()
result = server.lookup(encrypted, table, progress=False)
seconds = time.perf_counter() - start
found = bfloat16.floats(secret.decrypt(result))
print(f"{found.size:,} numbers in {seconds:.1f} s, {1e3 * seconds / found.size:.2f} ms each")
found.shape, found.dtype

# %% [markdown]
# ## Exact
# Every result is the function's value, rounded to bfloat16 once:

# %%
inputs = bfloat16.floats(patterns)
exact = np.array([bfloat16.gelu(float(v)) for v in inputs.ravel()]).reshape(SHAPE)
assert np.array_equal(found, bfloat16.floats(bfloat16.patterns(exact)))
np.column_stack([inputs.ravel(), found.ravel(), exact.ravel()])[:6]

# %% [markdown]
# so that the error beside double precision is that of rounding to eight bits, and nothing else:

# %%
largest = np.max(np.abs(found / exact - 1))
assert largest <= 2**-8
float(largest)
