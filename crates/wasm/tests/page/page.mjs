// Clicks through the page in headless Chromium, at full size: single values of 4 bits from a CSV file, and a photograph of
// 65,536 pixels through a packed table of 8 bits. `make page-test` runs it; pictures go to the folder of PAGE_PICTURES.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { test } from "node:test";

import { startService, temporaryFolder } from "../support.mjs";

const { chromium } = createRequire(resolve(process.env.PAGE_TOOLS ?? "target/page-test", "package.json"))("playwright-core");
const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env.CHROMIUM ?? browsers.find(existsSync);
const photograph = resolve("examples/data/retina-256.png");
const pictures = process.env.PAGE_PICTURES;

/** The strictest policy with which the page works: every file has it. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "worker-src 'self'", "connect-src 'self'"],
  ...["style-src 'self'", "img-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

/** Megabytes of memory that keys may take in the page. */
const MOST_MEMORY = 256;

/** Milliseconds that the slowest step may take: the packed key. */
const PATIENCE = 600_000;

const squares = Array.from({ length: 16 }, (_, x) => (x * x) % 16);
const contrast = Array.from({ length: 256 }, (_, x) => Math.min(255, Math.max(0, Math.round(1.6 * (x - 40)))));

async function openPage(context, tables) {
  const { url, token } = await startService(context, tables, ["--page"]);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  context.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1080, height: 800 } });
  const wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    const place = new URL(request.url());
    if (!["blob:", "data:"].includes(place.protocol) && place.origin !== url) {
      wrong.push(`a request to ${place.origin}`);
    }
  });
  page.on("response", async (response) => {
    const isOfPage = response.url().startsWith(url) && !response.url().startsWith(`${url}/v1/`);
    const { "content-security-policy": policy, "x-content-type-options": sniffing } = response.headers();
    if (isOfPage && (policy !== POLICY || sniffing !== "nosniff")) {
      wrong.push(`${response.url()} has the policy ${policy}`);
    }
  });
  await page.goto(url);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Show the tables" }).click();
  await page.locator("#table option").first().waitFor({ state: "attached" });
  return { page, wrong };
}

/** Drops a file where the page takes one. */
async function drop(page, name, text) {
  const make = ([name, text]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], name, { type: "text/csv" }));
    return transfer;
  };
  const dataTransfer = await page.evaluateHandle(make, [name, text]);
  await page.locator("#drop").dispatchEvent("drop", { dataTransfer });
}

async function lookUp(page) {
  const run = page.getByRole("button", { name: "Encrypt, look up, decrypt" });
  await run.click();
  const result = page.locator("#step-decrypt.done, #problem:not(:empty)");
  await result.waitFor({ timeout: PATIENCE });
  assert.equal(await page.locator("#problem").textContent(), "");
  const [saving] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
  const lines = readFileSync(await saving.path(), "utf8").trim().split("\n");
  const steps = await page.locator("#steps li").allInnerTexts();
  console.log(steps.map((step) => step.replaceAll(/\s+/g, " ")).join("\n"));
  const [, memory] = /in ([\d.]+) MB of memory/.exec(steps.join()) ?? [];
  assert.ok(memory === undefined || Number(memory) <= MOST_MEMORY, `${memory} MB of memory`);
  return lines.slice(1).map((line) => line.split(",").map(Number));
}

async function takePicture(page, name) {
  if (pictures !== undefined) {
    await page.locator("main").screenshot({ path: join(pictures, name) });
  }
}

test("strangers get the page, and nothing of the service", async (context) => {
  const { url } = await startService(context, { squares }, ["--page"]);
  const status = async (path) => (await fetch(`${url}${path}`)).status;
  assert.deepEqual(await Promise.all(["/", "/page/native_bg.wasm", "/v1/tables", "/page/"].map(status)), [200, 200, 401, 404]);
  const { url: bare } = await startService(context, { squares });
  assert.equal((await fetch(bare)).status, 404);
});

test("a column is looked up, value by value", async (context) => {
  const { page, wrong } = await openPage(context, { squares });
  const file = join(temporaryFolder(context), "numbers.csv");
  writeFileSync(file, `number\n${squares.map((_, x) => x).join("\n")}\n`);
  await page.locator("#engine").selectOption("single");
  await page.locator("#file").setInputFiles(file);
  assert.deepEqual(await lookUp(page), squares.map((square, x) => [x, square]));
  await takePicture(page, "page-column.png");
  // Again, by the same key.
  await drop(page, "dropped.csv", "4;four\n7;seven\n");
  assert.deepEqual(await lookUp(page), [[4, 0], [7, 1]]);
  await page.getByRole("button", { name: "Forget the key" }).click();
  await page.locator("#views").waitFor({ state: "hidden" });
  await drop(page, "wrong.csv", "number\n16\n");
  await page.locator("#problem", { hasText: "no integer from 0 to 15" }).waitFor();
  assert.deepEqual(wrong, []);
});

test("secret keys are kept if a page asks for it, and left files of closed pages go", async (context) => {
  const { page, wrong } = await openPage(context, { squares });
  const found = await page.evaluate(async () => {
    const { Client } = await import("/page/client.js");
    const insecure = { allowInsecure: true };
    const databases = async () => (await indexedDB.databases()).length;
    const files = async () => {
      const names = [];
      for await (const name of (await navigator.storage.getDirectory()).keys()) {
        names.push(name);
      }
      return names.length;
    };
    const first = await Client.start();
    const plan = await first.plan(16, 16, { engine: "single", insecureToy: true });
    const key = await first.generate(plan, insecure);
    const before = await databases();
    await first.keep("mine");
    const file = await first.encrypt(Uint32Array.of(3, 15));
    await first.evaluationKey();
    const whileOpen = await files();
    // Ended in the middle: the file of its evaluation key stays.
    first.stop();
    const second = await Client.start();
    const restored = await second.restoreKept("mine", insecure);
    const values = Array.from(await second.decrypt(file));
    const made = await second.evaluationKey();
    const part = await made.part(0, 8);
    const afterwards = await files();
    await second.forget("mine");
    const gone = await second.restoreKept("mine", insecure);
    await second.close();
    const magic = new TextDecoder().decode(part);
    return { before, same: restored.id === key.id, values, magic, whileOpen, afterwards, gone, end: await files() };
  });
  const expected = { before: 0, same: true, values: [3, 15], magic: "CRYPTABL", whileOpen: 1, afterwards: 1, gone: undefined, end: 0 };
  assert.deepEqual(found, expected);
  assert.deepEqual(wrong, []);
});

test("a photograph is looked up as one packed ciphertext", async (context) => {
  const { page, wrong } = await openPage(context, { contrast });
  await page.locator("#engine").selectOption("packed");
  await page.locator("#file").setInputFiles(photograph);
  const results = await lookUp(page);
  assert.equal(results.length, 65_536);
  assert.ok(results.every(([value, result]) => result === contrast[value]));
  // What was encrypted are the pixels.
  assert.ok(new Set(results.map(([value]) => value)).size > 100);
  await takePicture(page, "page-photograph.png");
  assert.deepEqual(wrong, []);
});
