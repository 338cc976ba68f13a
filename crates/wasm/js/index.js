// Loads the WebAssembly module. Its classes block while they work: pages use `Client` of client.js.

import init, { initSync } from "./native.js";
import { isNode } from "./platform.js";

export { CiphertextInfo, Parameters, PublicKey, SecretKey, WrittenKey, sha256 } from "./native.js";

let loading;

/**
 * Loads the module; later calls reuse it. The classes work only after that.
 * @returns {Promise<{ memoryBytes(): number }>} an object that returns the module's memory, in bytes
 */
export function load() {
  loading ??= start();
  return loading;
}

async function start() {
  const place = new URL("native_bg.wasm", import.meta.url);
  let exports;
  if (isNode) {
    const { readFile } = await import("node:fs/promises");
    exports = initSync({ module: await readFile(place) });
  } else {
    exports = await init({ module_or_path: place });
  }
  return { memoryBytes: () => exports.memory.buffer.byteLength };
}
