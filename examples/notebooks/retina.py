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
# # A photograph that the server cannot see
# A client encrypts the photograph of a retina, all of its pixels in one ciphertext. A server stretches its contrast
# by a table, without the secret. The client decrypts: exact grey values.

# %%
import os
from importlib import resources

import cryptable
import numpy as np
from PIL import Image

TOY = bool(os.environ.get("CRYPTABLE_TOY"))  # INSECURE parameters and a small picture, for the tests

with resources.as_file(resources.files("cryptable") / "retina.png") as path:
    before = np.asarray(Image.open(path).convert("L"))
if TOY:
    before = before[::16, ::16]
before.shape, before.dtype

# %% [markdown]
# ## The table, and all ways to look it up
# `values` says how many pixels there are at a time. With 65,536 of them, packed values win: seconds for all.

# %%
curve = np.clip((np.arange(256) - 24) * 255 // 130, 0, 255)
plan = cryptable.plan(curve, values=before.size)
plan

# %% [markdown]
# ## Client, server, client

# %%
secret = cryptable.SecretKey.generate_insecure_toy("packed", 256, 256) if TOY else cryptable.SecretKey.generate(plan)
server = secret.evaluation_key(progress=False)  # what the server gets
encrypted = secret.encrypt(before)
result = server.lookup(encrypted, curve, progress=False)
after = secret.decrypt(result)
assert np.array_equal(after, curve[before])
server, encrypted, f"{np.count_nonzero(after != curve[before])} of {after.size} pixels wrong"

# %%
Image.fromarray(np.hstack([before, after.astype(np.uint8)]))
