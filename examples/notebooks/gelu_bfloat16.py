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

import cryptable
import numpy as np
from cryptable import bfloat16

TOY = bool(os.environ.get("CRYPTABLE_TOY"))  # INSECURE parameters and few numbers, for the tests
COUNT = 2 if TOY else 24


def to_bfloat16(x):
    """The patterns of the nearest bfloat16 numbers, ties to even."""
    words = np.asarray(x, dtype=np.float32).view(np.uint32)
    return ((words + 0x7FFF + (words >> 16 & 1)) >> 16).astype(np.uint16)


def from_bfloat16(patterns):
    return (np.asarray(patterns).astype(np.uint32) << 16).view(np.float32)


x = np.random.default_rng(1).normal(0, 2, COUNT).astype(np.float32)
patterns = to_bfloat16(x)

# %% [markdown]
# ## The table
# For a few numbers, single values in digits are the fastest way (engine `leveled`); for 65,536 numbers at once it is
# one multiplexer tree over packed values: `values=65_536` plans that.

# %%
table = bfloat16.table(bfloat16.gelu)
plan = cryptable.plan(table, values=COUNT)
plan.best, cryptable.plan(table, values=65_536).best

# %%
if TOY:
    secret = cryptable.SecretKey.generate_insecure_toy("leveled", 65_536, 65_536)
else:
    secret = cryptable.SecretKey.generate(plan)
server = secret.evaluation_key(progress=False)
result = server.lookup(secret.encrypt(patterns), table, progress=False)
found = secret.decrypt(result)
assert np.array_equal(found, table.outputs[patterns])
np.column_stack([from_bfloat16(patterns), from_bfloat16(found)])[:6]

# %% [markdown]
# Beside the function in double precision, the error is that of rounding to eight bits, and nothing else:

# %%
exact = np.array([bfloat16.gelu(float(v)) for v in from_bfloat16(patterns)])
largest = np.max(np.abs(from_bfloat16(found) / exact - 1))
assert largest <= 2**-8
float(largest)
