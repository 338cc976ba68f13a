// The client for pages and programs: every call runs in a worker and returns a promise.

import { isNode } from "./platform.js";

/** An evaluation key that the worker holds until it is sent. */
class KeyFile {
  #client;

  constructor(client, { bytes, sha256 }) {
    this.#client = client;
    this.bytes = bytes;
    this.sha256 = sha256;
  }

  part(offset, count) {
    return this.#client.call("part", { sha256: this.sha256, offset, count });
  }

  remove() {
    return this.#client.call("remove", { sha256: this.sha256 });
  }
}

export class Client {
  #worker;
  #waiting = new Map();
  #next = 0;
  /** The error that ended the worker. */
  #end;

  /** Use `Client.start()`. */
  constructor(worker) {
    this.#worker = worker;
  }

  static async start() {
    if (isNode) {
      const { Worker } = await import("node:worker_threads");
      const worker = new Worker(new URL("worker.js", import.meta.url));
      const client = new Client(worker);
      worker.on("message", (message) => client.#receive(message));
      worker.on("error", (error) => client.#fail(error));
      return client;
    }
    // Bundlers find the worker by this very expression.
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    const client = new Client(worker);
    worker.onmessage = (event) => client.#receive(event.data);
    worker.onerror = (event) => client.#fail(new Error(event.message ?? "the worker cannot be started"));
    return client;
  }

  plan(inputModulus, outputModulus, options = {}) {
    return this.call("plan", { inputModulus, outputModulus, ...options });
  }

  generate(plan, { allowInsecure } = {}) {
    return this.call("generate", { file: plan.file, allowInsecure });
  }

  restore(bytes, { allowInsecure } = {}) {
    return this.call("restore", { bytes, allowInsecure });
  }

  secretBytes() {
    return this.call("secretBytes");
  }

  encrypt(values) {
    return this.call("encrypt", { values });
  }

  encryptFor(publicKey, values, { allowInsecure } = {}) {
    return this.call("encryptFor", { publicKey, values, allowInsecure });
  }

  decrypt(file) {
    return this.call("decrypt", { file });
  }

  decryptSigned(file) {
    return this.call("decryptSigned", { file });
  }

  publicKey() {
    return this.call("publicKey");
  }

  async evaluationKey(onProgress) {
    return new KeyFile(this, await this.call("evaluationKey", {}, onProgress));
  }

  sha256(bytes) {
    return this.call("sha256", { bytes });
  }

  memoryBytes() {
    return this.call("memoryBytes");
  }

  keep(name) {
    return this.call("keep", { name });
  }

  restoreKept(name, { allowInsecure } = {}) {
    return this.call("restoreKept", { name, allowInsecure });
  }

  forget(name) {
    return this.call("forget", { name });
  }

  async close() {
    try {
      await this.call("close");
    } finally {
      this.stop();
    }
  }

  stop() {
    this.#fail(new Error("the client was stopped"));
    this.#worker.terminate();
  }

  /** Sends a message to the worker and returns its answer. */
  call(method, values, onProgress) {
    if (this.#end !== undefined) {
      return Promise.reject(this.#end);
    }
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#worker.postMessage({ id, method, values });
    });
  }

  #receive({ id, result, error, progress }) {
    const waiting = this.#waiting.get(id);
    if (progress !== undefined) {
      waiting?.onProgress?.(...progress);
      return;
    }
    this.#waiting.delete(id);
    if (error === undefined) {
      waiting?.resolve(result);
    } else {
      waiting?.reject(new Error(error));
    }
  }

  #fail(error) {
    this.#end ??= error;
    for (const { reject } of this.#waiting.values()) {
      reject(error);
    }
    this.#waiting.clear();
  }
}
