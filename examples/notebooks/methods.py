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
# # Methods side by side: time and noise
# From the lines of `cryptable bench` that the repository keeps: random tables, every value checked, one thread of an
# Intel Xeon. Run from this folder.

# %%
import json
from pathlib import Path

import cryptable
import matplotlib.pyplot as plt
import pandas as pd

RESULTS = Path.cwd().joinpath("../../crates/bench/results/intel_xeon/one_thread.jsonl")
lines = pd.DataFrame(json.loads(line) for line in RESULTS.read_text().splitlines())
lookups = {
    "AKP": lines[lines.method == "akp"],
    "CMT": lines[lines.method == "cmt"],
    "single: FDFB-BFVMult": lines[lines.method == "FDFB-BFVMult"],
    "leveled: CMUX trees": lines[lines.method.str.startswith("CMUX tree")],
}
assert lines.wrong.fillna(0).sum() == 0
lines[["method", "bits_in", "eval_s", "ms_per_value", "noise_std_log2", "security_bits"]].head()

# %% [markdown]
# ## Time of a value
# Packed values share a lookup: 65,536 of them take as long as one. Single values have the least latency.

# %%
figure, (per_value, latency) = plt.subplots(1, 2, figsize=(9, 3.2), sharex=True)
for name, found in lookups.items():
    found = found.sort_values("bits_in")
    per_value.semilogy(found.bits_in, found.ms_per_value, "o-", label=name)
    latency.semilogy(found.bits_in, found.eval_s, "o-", label=name)
per_value.set(title="milliseconds a value, full ciphertexts", xlabel="bits of the input")
latency.set(title="seconds until the first result", xlabel="bits of the input")
latency.legend(fontsize=7)
figure.tight_layout()

# %% [markdown]
# ## Noise
# log2 of the deviation of results, of half the distance between two of them: 0 would be wrong as often as not.
# Predictions of the planner are crosses.

# %%
figure, axes = plt.subplots(figsize=(5.5, 3.2))
for name, found in lookups.items():
    found = found.sort_values("bits_in")
    [points] = axes.plot(found.bits_in, found.noise_std_log2, "o", label=name)
    axes.plot(found.bits_in, found.predicted_noise_std_log2, "x", color=points.get_color())
axes.set(xlabel="bits of the input", ylabel="log2 of the relative noise")
axes.legend(fontsize=7)
figure.tight_layout()

# %% [markdown]
# ## What the planner says of a table of eight bits

# %%
cryptable.plan([x * x % 256 for x in range(256)], values=65_536)
