// The worker, which holds one secret key and makes the calls that block. client.js sends it messages `{ id, method, values }`,
// and it answers each with `{ id, result }` or `{ id, error }`, after any number of `{ id, progress }`.

import { Parameters, PublicKey, SecretKey, load, sha256 } from "./index.js";
import { createKeyFile } from "./key_file.js";
import * as kept from "./kept_keys.js";
import { isNode } from "./platform.js";

const port = isNode ? (await import("node:worker_threads")).parentPort : self;

/** The secret key, if there is one. */
let secret;
/** Files of evaluation keys by their SHA-256 digests. */
const files = new Map();

function key() {
  if (secret === undefined) {
    throw new Error("there is no secret key yet: generate one, or restore it");
  }
  return secret;
}

function replace(next) {
  secret?.free();
  secret = next;
  return describeKey();
}

function describeKey() {
  const parameters = key().parameters;
  const described = { id: key().id, ...describe(parameters) };
  parameters.free();
  return described;
}

function describe(parameters) {
  const { engine, method, inputModulus, outputModulus, valuesPerPart } = parameters;
  const { securityBits, log2Fail, evaluationKeyBytes, digest } = parameters;
  const text = parameters.toString();
  const file = parameters.toFile();
  return {
    engine, method, inputModulus, outputModulus, valuesPerPart, securityBits, log2Fail, evaluationKeyBytes, digest, text, file,
  };
}

function clear(bytes) {
  bytes.fill(0);
}

const methods = {
  plan({ inputModulus, outputModulus, engine, values, insecureToy }) {
    const parameters = Parameters.plan(inputModulus, outputModulus, engine, values, insecureToy);
    const described = describe(parameters);
    parameters.free();
    return described;
  },
  generate({ file, allowInsecure }) {
    const parameters = Parameters.fromFile(file, allowInsecure);
    const made = SecretKey.generate(parameters);
    parameters.free();
    return replace(made);
  },
  restore({ bytes, allowInsecure }) {
    const made = SecretKey.fromBytes(bytes, allowInsecure);
    clear(bytes);
    return replace(made);
  },
  secretBytes: () => key().toBytes(),
  encrypt({ values }) {
    const file = values instanceof Int32Array ? key().encryptSigned(values) : key().encrypt(values);
    clear(values);
    return file;
  },
  encryptFor({ publicKey, values, allowInsecure }) {
    const receiver = PublicKey.fromBytes(publicKey, allowInsecure);
    const file = receiver.encrypt(values);
    receiver.free();
    clear(values);
    return file;
  },
  decrypt: ({ file }) => key().decrypt(file),
  decryptSigned: ({ file }) => key().decryptSigned(file),
  publicKey() {
    const made = key().publicKey();
    const bytes = made.toBytes();
    made.free();
    return bytes;
  },
  async evaluationKey(_, tell) {
    const file = await createKeyFile();
    try {
      const written = key().writeEvaluationKey((piece) => file.write(piece), tell);
      const { bytes, sha256: name } = written;
      written.free();
      await files.get(name)?.remove();
      files.set(name, file);
      return { bytes, sha256: name };
    } catch (error) {
      await file.remove();
      throw error;
    }
  },
  part: ({ sha256: name, offset, count }) => files.get(name).read(offset, count),
  async remove({ sha256: name }) {
    await files.get(name)?.remove();
    files.delete(name);
  },
  sha256: ({ bytes }) => sha256(bytes),
  memoryBytes: async () => (await load()).memoryBytes(),
  async keep({ name }) {
    const bytes = key().toBytes();
    await kept.keep(name, bytes);
    clear(bytes);
  },
  async restoreKept({ name, allowInsecure }) {
    const bytes = await kept.find(name);
    return bytes === undefined ? undefined : methods.restore({ bytes, allowInsecure });
  },
  forget: ({ name }) => kept.forget(name),
  async close() {
    secret?.free();
    secret = undefined;
    for (const name of [...files.keys()]) {
      await methods.remove({ sha256: name });
    }
  },
};

async function answer({ id, method, values }) {
  try {
    await load();
    const tell = (done, total) => port.postMessage({ id, progress: [done, total] });
    const result = await methods[method](values ?? {}, tell);
    // Buffers are handed over, not copied: no copy of a value stays here.
    const moved = ArrayBuffer.isView(result) ? [result.buffer] : [];
    port.postMessage({ id, result }, moved);
  } catch (error) {
    port.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

// Messages are handled one after the other, so that a key is not replaced while it is written.
let last = Promise.resolve();
const receive = (message) => {
  last = last.then(() => answer(message));
};
if (isNode) {
  port.on("message", receive);
} else {
  port.onmessage = (event) => receive(event.data);
}
