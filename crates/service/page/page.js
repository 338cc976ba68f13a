// The page: values are encrypted here, looked up by the server that the page came from, and decrypted here. The secret key
// never leaves the page's worker.

import { Client } from "./client.js";
import { readFile } from "./inputs.js";
import { Service } from "./service.js";
import { Step, bytes, drawBytes, drawValues, lastBytes, listSeen, listValues } from "./views.js";

const element = (id) => document.getElementById(id);
const names = ["plan", "keys", "send", "encrypt", "lookup", "decrypt"];
const steps = Object.fromEntries(names.map((name) => [name, new Step(name)]));

let service;
let tables = [];
let file;
let client;
/** The evaluation key that the server has, and the digest of its parameters. */
let sent;

const chosenTable = () => tables[element("table").selectedIndex];

/** Runs the action of an event, and shows its error. */
function handle(call) {
  return async (event) => {
    event?.preventDefault();
    element("problem").textContent = "";
    try {
      await call(event);
    } catch (error) {
      element("problem").textContent = error.message;
    }
  };
}

async function connect() {
  service = new Service(new URL("/", location.href), element("token").value.trim());
  const offered = await service.tables();
  // Columns and pictures have no signs.
  tables = offered.filter((table) => !table.signed_inputs && !table.signed_outputs);
  const options = tables.map(({ name, input_modulus, output_modulus }) => {
    const text = `${name}: ${input_modulus} → ${output_modulus}`;
    return new Option(text, name);
  });
  element("table").replaceChildren(...options);
  if (tables.length === 0) {
    throw new Error("the server offers no table of unsigned values");
  }
  element("job").disabled = false;
}

async function show() {
  const table = chosenTable();
  element("run").disabled = true;
  if (file === undefined || table === undefined) {
    return;
  }
  const { text } = await readFile(file, table.input_modulus);
  element("about").textContent = `${file.name}: ${text}`;
  element("run").disabled = false;
}

/** Generates keys and sends the evaluation key, unless those of the last run can be used. */
async function prepareKeys(plan) {
  if (sent?.digest === plan.digest) {
    steps.keys.begin();
    steps.keys.end("those of the last run");
    steps.send.begin();
    steps.send.end("the server has it");
    return;
  }
  steps.keys.begin("secret key");
  const key = await client.generate(plan);
  element("clear").disabled = false;
  const made = await client.evaluationKey((done, total) => {
    steps.keys.share(done / total);
    steps.keys.text(`part ${done} of ${total} of the evaluation key`);
  });
  const memory = bytes(await client.memoryBytes());
  steps.keys.end(`key ${key.id.slice(0, 8)}, evaluation key of ${bytes(made.bytes)}, in ${memory} of memory`);
  steps.send.begin();
  await service.upload("evaluation-key", made, {
    onProgress: (done, total) => {
      steps.send.share(done / total);
      steps.send.text(`${bytes(done)} of ${bytes(total)}`);
    },
  });
  await made.remove();
  steps.send.end(`${bytes(made.bytes)}, checked by the server`);
  sent = { digest: plan.digest, sha256: made.sha256, bytes: made.bytes, keyId: key.id };
}

async function run() {
  const table = chosenTable();
  names.forEach((name) => steps[name].reset());
  element("views").hidden = true;
  const input = await readFile(file, table.input_modulus);
  client ??= await Client.start();
  steps.plan.begin("planning");
  const engine = element("engine").value || undefined;
  const options = { engine, values: input.values.length };
  const plan = await client.plan(table.input_modulus, table.output_modulus, options);
  steps.plan.end(plan.text);
  await prepareKeys(plan);
  steps.encrypt.begin();
  const encrypted = await client.encrypt(input.values);
  steps.encrypt.end(`${input.values.length} values in ${bytes(encrypted.length)}`);
  steps.lookup.begin("sending");
  const seenInput = encrypted.slice();
  const result = await service.lookup(sent.sha256, encrypted, table.name, {
    onProgress: (share, job) => {
      steps.lookup.share(share);
      steps.lookup.text(job.state);
    },
  });
  steps.lookup.end(bytes(result.length));
  const seenOutput = result.slice();
  steps.decrypt.begin();
  const results = await client.decrypt(result);
  steps.decrypt.end(`${results.length} values`);
  present(table, input, results, { input: seenInput, output: seenOutput });
}

function present(table, input, results, seen) {
  const isPicture = input.width !== undefined;
  for (const id of ["input", "output"]) {
    element(id).parentElement.hidden = !isPicture;
  }
  if (isPicture) {
    drawValues("input", input, input.values, table.input_modulus);
    drawValues("output", input, results, table.output_modulus);
  }
  listValues(input.values, results);
  element("values").parentElement.hidden = isPicture;
  drawBytes("seen-input", seen.input);
  drawBytes("seen-output", seen.output);
  listSeen([
    ["evaluation key", bytes(sent.bytes)],
    ["its name", sent.sha256],
    ["key identifier", sent.keyId],
    ["table", table.name],
    ["number of values", String(results.length)],
    ["encrypted values", bytes(seen.input.length)],
    ["their last bytes", lastBytes(seen.input)],
    ["encrypted results", bytes(seen.output.length)],
    ["their last bytes", lastBytes(seen.output)],
    ["your values", "unknown to the server"],
  ]);
  const lines = Array.from(results, (result, i) => `${input.values[i]},${result}`);
  const link = element("save");
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([`value,result\n${lines.join("\n")}\n`], { type: "text/csv" }));
  link.hidden = false;
  element("views").hidden = false;
}

/** Clears the secret key and removes the evaluation key from the server. */
async function forget() {
  await client.close();
  client = undefined;
  if (sent !== undefined) {
    await service.removeKey(sent.sha256);
  }
  sent = undefined;
  element("clear").disabled = true;
  names.forEach((name) => steps[name].reset());
  element("views").hidden = true;
}

function whileBusy(call) {
  return async () => {
    const buttons = [element("run"), element("clear")];
    const before = buttons.map((button) => button.disabled);
    buttons.forEach((button) => (button.disabled = true));
    try {
      await call();
    } finally {
      buttons.forEach((button, i) => (button.disabled = before[i]));
      element("clear").disabled = client === undefined;
    }
  };
}

element("connection").addEventListener("submit", handle(connect));
element("run").addEventListener("click", handle(whileBusy(run)));
element("clear").addEventListener("click", handle(whileBusy(forget)));
element("table").addEventListener("change", handle(show));
element("file").addEventListener("change", handle(() => {
  file = element("file").files[0];
  return show();
}));
// Allows choosing a changed file again.
element("file").addEventListener("click", () => (element("file").value = ""));
for (const [name, isOver] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
  element("drop").addEventListener(name, (event) => {
    event.preventDefault();
    element("drop").classList.toggle("over", isOver);
  });
}
// A file that is dropped beside its target must not replace the page.
for (const name of ["dragover", "drop"]) {
  addEventListener(name, (event) => event.preventDefault());
}
element("drop").addEventListener("drop", handle((event) => {
  file = event.dataTransfer.files[0];
  return show();
}));
