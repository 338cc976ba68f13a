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
# # A column of codes, looked up in a provider's table
# A clinic has a pandas column of five-digit codes, which nobody else may see. A provider has a table of all codes,
# which it applies without seeing the column.

# %%
import os

import cryptable
import numpy as np
import pandas as pd

TOY = bool(os.environ.get("CRYPTABLE_TOY"))  # INSECURE parameters and codes of three digits, for the tests
DIGITS = 3 if TOY else 5

rng = np.random.default_rng(7)
people = pd.DataFrame({"person": list("ABCDEF"), "code": rng.integers(0, 10**DIGITS, 6)})
people

# %% [markdown]
# ## The provider's table
# A pandas Series of known codes, and what stands for all others.

# %%
known = rng.choice(10**DIGITS, 10**DIGITS // 10, replace=False)
known[:3] = people.code[:3]
known = pd.Series(known).drop_duplicates()
prices = pd.Series(rng.integers(1, 256, len(known)), index=known)
table = cryptable.table(prices, inputs=10**DIGITS, default=0, output_modulus=256)
table, prices.head(3)

# %% [markdown]
# ## Keys for as many values as there are people
# With six values, single ones in digits; with thousands, packed ones: the calls are the same.

# %%
plan = cryptable.plan(table, values=len(people))
plan.best

# %%
if TOY:
    secret = cryptable.SecretKey.generate_insecure_toy("leveled", 10**DIGITS, 256)
else:
    secret = cryptable.SecretKey.generate(plan)
server = secret.evaluation_key(progress=False)
encrypted = secret.encrypt(people.code)
result = server.lookup(encrypted, table, progress=False)  # the provider
people["price"] = secret.decrypt(result)
assert np.array_equal(people.price, people.code.map(prices).fillna(0))
people

# %% [markdown]
# ## Codes of nine digits and more
# A dictionary of up to 65,536 codes of 32 or 64 bits is looked up by a perfect hash: `cryptable.wide`. It takes
# packed values, and so keys of gigabytes; here at toy size, INSECURE.

# %%
from cryptable import wide

toy = cryptable.SecretKey.generate(wide.plan(8, value_bits=3, insecure_toy=True))
provider = toy.evaluation_key(progress=False)
dictionary = wide.dictionary(provider, {17: 3, 240: 5}, default=0, bits=8)
wide.decrypt(toy, wide.lookup(provider, wide.encrypt(toy, [240, 17, 18], bits=8), dictionary, progress=False))
