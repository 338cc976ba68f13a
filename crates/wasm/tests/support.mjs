// A service of the native program with tables, and the npm package, for the tests.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

/** The native program, and the folder of the npm package: the Makefile names both. */
const program = process.env.CRYPTABLE_PROGRAM ?? "target/checks/cryptable";
export const packageFolder = process.env.CRYPTABLE_NPM_PACKAGE ?? "target/wasm/cryptable";

/** Imports a module of the npm package. */
export const imported = (name) => import(pathToFileURL(join(packageFolder, name)));

/** Runs the native program and returns what it prints. */
export const run = (...args) => execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** Makes a temporary folder that the test removes. */
export function temporaryFolder(test) {
  const folder = mkdtempSync(join(tmpdir(), "cryptable-test-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Starts a service with tables, given as lists of outputs by their names, until the test ends.
 * @returns {Promise<{ url: string, token: string }>}
 */
export async function startService(test, tables, options = []) {
  const folder = temporaryFolder(test);
  const data = join(folder, "service");
  for (const [name, outputs] of Object.entries(tables)) {
    const file = join(folder, `${name}.csv`);
    writeFileSync(file, `output\n${outputs.join("\n")}\n`);
    run("serve", "table", "add", "--folder", data, "--name", name, "--table", file);
  }
  const { token } = JSON.parse(run("--json", "serve", "client", "add", "--folder", data, "--name", "test"));
  const args = ["--json", "--quiet", "serve", "--folder", data, "--listen", "127.0.0.1:0", ...options];
  const server = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  // Registered after the folder's removal, and so run before it.
  const ended = new Promise((resolve) => server.on("exit", resolve));
  test.after(async () => {
    server.kill();
    await ended;
  });
  for await (const line of createInterface({ input: server.stdout })) {
    return { url: JSON.parse(line).url, token };
  }
  throw new Error("the service did not start");
}

/** All values below a modulus. */
export const allValues = (modulus) => Uint32Array.from({ length: modulus }, (_, value) => value);
