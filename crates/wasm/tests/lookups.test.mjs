// Values are encrypted by the npm package, looked up by the native service at full size, and decrypted by the package.

import assert from "node:assert/strict";
import { test } from "node:test";

import { allValues, imported, startService } from "./support.mjs";

const { Client } = await imported("client.js");
const { Service } = await imported("service.js");

/** Mebibytes that the WebAssembly module may take. */
const MOST_MEMORY = 256 << 20;

/** A file whose upload breaks off once, behind its middle, and then must go on from there. */
function brokenOnce(file) {
  let broken;
  const part = (offset, count) => {
    if (broken === undefined && offset > file.bytes / 2) {
      broken = offset;
      throw new TypeError("fetch failed");
    }
    assert.ok(broken === undefined || offset >= broken, `the upload began again at ${offset}, before ${broken}`);
    return file.part(offset, count);
  };
  return { bytes: file.bytes, sha256: file.sha256, part };
}

async function lookUpAll(context, engine, outputs) {
  const { url, token } = await startService(context, { table: outputs });
  const service = new Service(url, token, { partBytes: 1 << 20 });
  const [table] = await service.tables();
  assert.deepEqual([table.name, table.input_modulus], ["table", outputs.length]);
  const client = await Client.start();
  context.after(() => client.close());
  const plan = await client.plan(table.input_modulus, table.output_modulus, { engine });
  assert.equal(plan.engine, engine);
  assert.ok(plan.securityBits >= 128 && plan.log2Fail <= -64, plan.text);
  const key = await client.generate(plan);
  const steps = [];
  const evaluationKey = await client.evaluationKey((done, total) => steps.push(done / total));
  assert.equal(steps.at(-1), 1);
  const stored = await service.upload("evaluation-key", brokenOnce(evaluationKey));
  assert.deepEqual([stored.key_id, stored.bytes], [key.id, evaluationKey.bytes]);
  await evaluationKey.remove();
  const values = allValues(table.input_modulus);
  const result = await service.lookup(stored.sha256, await client.encrypt(values), "table");
  assert.deepEqual(Array.from(await client.decrypt(result)), outputs);
  const published = await client.publicKey();
  const contributed = await client.encryptFor(published, values);
  const again = await service.lookup(stored.sha256, contributed, "table");
  assert.deepEqual(Array.from(await client.decrypt(again)), outputs);
  const memory = await client.memoryBytes();
  assert.ok(memory <= MOST_MEMORY, `${memory} bytes of memory`);
}

test("single values of 4 bits are looked up at full size", async (context) => {
  const outputs = Array.from({ length: 16 }, (_, x) => (x * x + 3) % 16);
  await lookUpAll(context, "single", outputs);
});

test("leveled values of 8 bits are looked up at full size", async (context) => {
  const outputs = Array.from({ length: 256 }, (_, x) => (x * 167 + 13) % 256);
  await lookUpAll(context, "leveled", outputs);
});
