// Measures how long evaluation keys take in WebAssembly: one JSON object a line, by `make wasm-times`. Times are of the
// processor, since other programs may run beside.

import { cpus } from "node:os";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const folder = process.env.CRYPTABLE_NPM_PACKAGE ?? "target/wasm/cryptable";
const { Parameters, SecretKey, load } = await import(pathToFileURL(join(folder, "index.js")));

/** Engine, bits of a table, and how often a key is made. */
const JOBS = [["single", 4, 2], ["leveled", 8, 2], ["packed", 4, 1], ["packed", 8, 1]];

const module = await load();

function seconds(call) {
  const before = process.cpuUsage();
  const result = call();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1e6, result];
}

for (const [engine, bits, runs] of JOBS) {
  const [plan_s, parameters] = seconds(() => Parameters.plan(2 ** bits, 2 ** bits, engine));
  const [secret_s, secret] = seconds(() => SecretKey.generate(parameters));
  const keygen_s = [];
  let eval_key_bytes;
  for (let run = 0; run < runs; run++) {
    const [time, written] = seconds(() => secret.writeEvaluationKey(() => {}));
    keygen_s.push(time);
    eval_key_bytes = written.bytes;
  }
  const count = parameters.valuesPerPart;
  const values = Uint32Array.from({ length: count }, (_, i) => i % 2 ** bits);
  const [encrypt_s, file] = seconds(() => secret.encrypt(values));
  const [decrypt_s, decrypted] = seconds(() => secret.decrypt(file));
  const wrong = decrypted.filter((value, i) => value !== values[i]).length;
  secret.free();
  const line = { method: `wasm ${parameters.method}`, engine, bits_in: bits, plan_s, secret_s, keygen_s, eval_key_bytes };
  const more = { values: count, encrypt_s, decrypt_s, input_bytes: file.length, wrong, memory_bytes: module.memoryBytes() };
  console.log(JSON.stringify({ ...line, ...more, processor: cpus()[0].model, node: process.version }));
}
