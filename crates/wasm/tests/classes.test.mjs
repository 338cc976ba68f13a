// The classes, the worker and the files of the npm package, beside those of the native program.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";

import { allValues, imported, packageFolder, run, temporaryFolder } from "./support.mjs";

const { CiphertextInfo, Parameters, PublicKey, SecretKey, load, sha256 } = await imported("index.js");
const { Client } = await imported("client.js");
const { Service } = await imported("service.js");

before(load);

const toy = (engine = "single", modulus = 16) => Parameters.plan(modulus, modulus, engine, undefined, true);

test("values of every engine come back", () => {
  for (const [engine, modulus] of [["single", 16], ["leveled", 256], ["packed", 16]]) {
    const secret = SecretKey.generate(toy(engine, modulus));
    const values = allValues(modulus);
    const file = secret.encrypt(values);
    assert.deepEqual(secret.decrypt(file), values);
    const info = new CiphertextInfo(file);
    const found = [info.engine, info.count, info.modulus, info.signed, info.keyId];
    assert.deepEqual(found, [engine, modulus, modulus, false, secret.id]);
    const signed = Int32Array.from(values, (value) => value - modulus / 2);
    assert.deepEqual(secret.decryptSigned(secret.encryptSigned(signed)), signed);
    const publicKey = PublicKey.fromBytes(secret.publicKey().toBytes(), true);
    assert.deepEqual(secret.decrypt(publicKey.encrypt(values)), values);
    const same = SecretKey.fromBytes(secret.toBytes(), true);
    assert.deepEqual(same.decrypt(file), values);
    secret.free();
  }
});

test("plans are those of the native program", () => {
  for (const [engine, bits] of [["packed", 8], ["packed", 16], ["single", 4], ["leveled", 12]]) {
    const planned = run("--json", "--threads", "1", "plan", "--mode", engine, "--bits", String(bits));
    const expected = JSON.parse(planned).parameter_digest;
    assert.equal(Parameters.plan(2 ** bits, 2 ** bits, engine).digest, expected);
  }
});

test("random numbers differ from key to key and from call to call", () => {
  const parameters = toy();
  const [one, two] = [SecretKey.generate(parameters), SecretKey.generate(parameters)];
  assert.notEqual(one.id, two.id);
  const values = allValues(16);
  assert.notDeepEqual(one.encrypt(values), one.encrypt(values));
});

test("errors are the library's", () => {
  const secret = SecretKey.generate(toy());
  const message = (call) => {
    let found;
    assert.throws(call, (error) => {
      found = error.message;
      return error instanceof Error;
    });
    return found;
  };
  assert.match(message(() => secret.encrypt(Uint32Array.of(3, 16))), /value 16 at position 1 is not below the modulus 16/);
  assert.match(message(() => secret.encrypt(new Uint32Array())), /number of values is 0/);
  assert.match(message(() => secret.encrypt([1])), /Uint32Array/);
  assert.match(message(() => secret.decrypt(Uint8Array.of(1, 2, 3))), /./);
  assert.match(message(() => SecretKey.fromBytes(secret.toBytes())), /insecure/i);
  assert.match(message(() => Parameters.plan(1, 16)), /input modulus is 1, but must be an integer from 2/);
  assert.match(message(() => Parameters.plan(2.5, 16)), /2\.5/);
  assert.match(message(() => Parameters.plan(16, 16, "fast")), /packed, single, leveled/);
  const damaged = secret.encrypt(Uint32Array.of(1));
  damaged[damaged.length - 40] ^= 1;
  assert.match(message(() => secret.decrypt(damaged)), /checksum|damaged|digest/);
  const other = SecretKey.generate(toy());
  assert.match(message(() => other.decrypt(secret.encrypt(Uint32Array.of(1)))), /key|client/);
  secret.free();
  assert.throws(() => secret.id);
});

test("the caller's errors and wishes end a key", () => {
  const secret = SecretKey.generate(toy("packed"));
  const thrown = new RangeError("no room");
  const refuse = () => {
    throw thrown;
  };
  assert.throws(() => secret.writeEvaluationKey(refuse), (error) => error === thrown);
  assert.throws(() => secret.writeEvaluationKey(() => {}, () => false), /cancelled/i);
  let bytes = 0;
  const written = secret.writeEvaluationKey((piece) => (bytes += piece.length));
  assert.equal(written.bytes, bytes);
});

test("digests are those of SHA-256", async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i);
  const words = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  assert.equal(sha256(bytes), Buffer.from(words).toString("hex"));
});

test("the native program reads the package's files, and the package the program's", (context) => {
  const folder = temporaryFolder(context);
  const file = (name) => join(folder, name);
  run("keygen", "--mode", "single", "--bits", "4", "--secret", file("native.key"), "--evaluation", file("native.eval"));
  const secret = SecretKey.fromBytes(readFileSync(file("native.key")));
  writeFileSync(file("values.ct"), secret.encrypt(allValues(16)));
  run("decrypt", "--secret", file("native.key"), "--input", file("values.ct"), "--output", file("values.csv"));
  const lines = readFileSync(file("values.csv"), "utf8").trim().split(/\s+/);
  assert.deepEqual(lines.map(Number).slice(-16), Array.from(allValues(16)));
  writeFileSync(file("table.csv"), `${Array.from(allValues(16), (x) => 15 - x).join("\n")}\n`);
  const pieces = [];
  secret.writeEvaluationKey((piece) => pieces.push(piece));
  writeFileSync(file("web.eval"), Buffer.concat(pieces));
  run(
    ...["lookup", "--evaluation", file("web.eval"), "--table", file("table.csv"), "--input", file("values.ct")],
    ...["--output", file("results.ct")],
  );
  const results = secret.decrypt(readFileSync(file("results.ct")));
  assert.deepEqual(results, allValues(16).reverse());
});

test("a client is told what it lacks, and forgets its key", async () => {
  const client = await Client.start();
  await assert.rejects(client.encrypt(Uint32Array.of(1)), /no secret key yet/);
  const plan = await client.plan(16, 16, { engine: "single", insecureToy: true });
  await assert.rejects(client.generate(plan), /insecure/i);
  const key = await client.generate(plan, { allowInsecure: true });
  assert.equal(key.digest, plan.digest);
  const file = await client.encrypt(Int32Array.of(-8, 7));
  assert.deepEqual(await client.decryptSigned(file), Int32Array.of(-8, 7));
  const bytes = await client.secretBytes();
  const other = await client.generate(plan, { allowInsecure: true });
  assert.notEqual(other.id, key.id);
  await assert.rejects(client.decryptSigned(file));
  assert.equal((await client.restore(bytes, { allowInsecure: true })).id, key.id);
  await assert.rejects(client.keep("mine"), /IndexedDB/);
  const made = await client.evaluationKey();
  const part = await made.part(made.bytes - 3, 100);
  assert.equal(part.length, 3);
  await client.close();
  await assert.rejects(made.part(0, 1), /stopped/);
});

test("types declare the methods that there are", () => {
  for (const [file, made] of [["client", Client], ["service", Service]]) {
    const types = readFileSync(join(packageFolder, `${file}.d.ts`), "utf8");
    const [, body] = new RegExp(`export class ${made.name} \\{\n(.*?)\n\\}`, "s").exec(types);
    const declared = Array.from(body.matchAll(/^  (?:static )?(\w+)\(/gm), ([, name]) => name);
    const methods = [made, made.prototype].flatMap((place) =>
      Object.getOwnPropertyNames(place).filter((name) => typeof place[name] === "function"),
    );
    // What every class has, and the messages of `Client` to its worker.
    const others = new Set(["constructor", "call"]);
    const publicOnes = (names) => names.filter((name) => !others.has(name)).sort();
    assert.deepEqual(publicOnes(declared), publicOnes(methods));
  }
});

test("tokens go to other machines by TLS only", () => {
  assert.throws(() => new Service("http://lookups.example", "token"), /https/);
  for (const url of ["https://lookups.example", "http://127.0.0.1:8080", "http://[::1]:1", "http://localhost"]) {
    assert.ok(new Service(url, "token"));
  }
});
