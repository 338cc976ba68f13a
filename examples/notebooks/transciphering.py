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
# # Transciphering: send AES, compute homomorphically
# Homomorphic ciphertexts are large. A client sends an AES key encrypted homomorphically, once, and from then on its
# messages by AES-128 in counter mode, hardly longer than the text. The server makes homomorphic ciphertexts of them,
# here through a table of bytes on the way.

# %%
import os

from cryptable import transciphering

TOY = bool(os.environ.get("CRYPTABLE_TOY"))  # INSECURE parameters, for the tests

secret = transciphering.SecretKey.generate(insecure_toy=TOY)
aes = transciphering.AesKey.generate()
server = secret.evaluation_key(progress=False)  # to the server, once
encrypted_key = secret.encrypt_key(aes)  # to the server, once
len(encrypted_key.to_bytes())

# %%
text = b"hi" if TOY else b"sixteen letters!"
message = aes.encrypt(text)
len(text), len(message.to_bytes())

# %% [markdown]
# ## The server
# It sees neither key nor text.

# %%
upper = server.prepare(transciphering.table(lambda byte: bytes([byte]).upper()[0]))
result = server.transcipher(encrypted_key, message, upper, progress=False)
len(result.to_bytes())

# %%
found = secret.decrypt(result)
assert found == text.upper()
found
