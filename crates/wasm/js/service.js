// A client of `cryptable serve`: it sends files and fetches results, and holds no secret but the token.

/** Default number of bytes per part of an upload: the most that has to be sent again after an interruption. */
const PART_BYTES = 8 << 20;

/** Milliseconds of the first and the longest pause before a request is repeated. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 2000;

/** Hosts that are reached without TLS: they are this machine. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const FOLDERS = { "evaluation-key": "keys", ciphertext: "ciphertexts", "public-key": "public-keys" };

/** A refusal of the service. */
export class ServiceError extends Error {
  constructor(problem, status) {
    super(problem.detail ?? problem.title ?? `the service answers with status ${status}`);
    this.name = "ServiceError";
    this.status = status;
    this.kind = problem.type?.replace("urn:cryptable:problem:", "");
    this.exceeded = problem.exceeded;
    this.offset = problem.offset;
  }
}

export class Service {
  #url;
  #token;
  #partBytes;
  #patience;

  constructor(url, token, { partBytes = PART_BYTES, patience = 60_000, plainHttp = false } = {}) {
    this.#url = new URL(url);
    const isSafe = this.#url.protocol === "https:" || LOOPBACK.test(this.#url.hostname);
    if (!isSafe && !plainHttp) {
      throw new Error(`${url} has no TLS: everyone on the way could read the token; use https`);
    }
    this.#token = token;
    this.#partBytes = partBytes;
    this.#patience = patience;
  }

  tables() {
    return this.#json("GET", "/v1/tables");
  }

  keys() {
    return this.#json("GET", "/v1/keys");
  }

  publicKeys() {
    return this.#json("GET", "/v1/public-keys");
  }

  async publicKey(sha256) {
    const bytes = await this.#bytes(`/v1/public-keys/${sha256}/file`);
    if ((await digest(bytes)) !== sha256) {
      throw new Error("the service sent a public key with another digest");
    }
    return bytes;
  }

  async upload(kind, source, { recipient, onProgress } = {}) {
    const file = source instanceof Uint8Array ? await sourceOf(source) : source;
    const announced = { kind, length: file.bytes, sha256: file.sha256, recipient };
    let end = Date.now() + this.#patience;
    let reached = 0;
    for (;;) {
      const upload = await this.#json("POST", "/v1/uploads", announced);
      if (upload.id == null) {
        return this.#json("GET", `/v1/${FOLDERS[kind]}/${file.sha256}`);
      }
      if (upload.offset > reached) {
        [reached, end] = [upload.offset, Date.now() + this.#patience];
      }
      try {
        await this.#sendParts(upload, file, onProgress);
        return await (await this.#once("POST", `/v1/uploads/${upload.id}/complete`)).json();
      } catch (error) {
        if (!isPassing(error) || Date.now() > end) {
          throw error;
        }
        // When announced again, the upload continues where it was cut off.
        await pause(FIRST_PAUSE);
      }
    }
  }

  async #sendParts({ id, offset }, file, onProgress) {
    while (offset < file.bytes) {
      const part = await file.part(offset, this.#partBytes);
      await this.#once("PATCH", `/v1/uploads/${id}`, part, { "Upload-Offset": String(offset) });
      offset += part.length;
      onProgress?.(offset, file.bytes);
    }
  }

  order(key, ciphertext, tables) {
    // The same order, sent again after an interruption, starts no second job.
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    return this.#json("POST", "/v1/jobs", { key, ciphertext, tables }, headers);
  }

  job(id) {
    return this.#json("GET", `/v1/jobs/${id}`);
  }

  async wait(id, onProgress) {
    for (let delay = FIRST_PAUSE; ; delay = Math.min(1.5 * delay, LONGEST_PAUSE)) {
      const job = await this.job(id);
      onProgress?.(job.progress, job);
      if (job.state === "done") {
        return job;
      }
      if (job.state === "failed") {
        throw new Error(`the job failed: ${job.reason}`);
      }
      await pause(delay);
    }
  }

  async result(job, place = 0) {
    const bytes = await this.#bytes(`/v1/jobs/${job.id}/results/${place}`);
    if (bytes.length !== job.results[place]) {
      throw new Error(`the result has ${bytes.length} bytes, but should have ${job.results[place]}`);
    }
    return bytes;
  }

  removeJob(id) {
    return this.#remove(`/v1/jobs/${id}`);
  }

  removeCiphertext(sha256) {
    return this.#remove(`/v1/ciphertexts/${sha256}`);
  }

  removeKey(sha256) {
    return this.#remove(`/v1/keys/${sha256}`);
  }

  async lookup(key, ciphertext, table, { onProgress } = {}) {
    const sent = await this.upload("ciphertext", ciphertext);
    const ordered = await this.order(key, sent.sha256, [table]);
    const job = await this.wait(ordered.id, onProgress);
    const result = await this.result(job);
    await this.removeJob(job.id);
    await this.removeCiphertext(sent.sha256);
    return result;
  }

  #json(method, path, message, headers = {}) {
    const body = message === undefined ? undefined : JSON.stringify(message);
    return this.#patiently(async () => (await this.#once(method, path, body, headers)).json());
  }

  #bytes(path) {
    return this.#patiently(async () => new Uint8Array(await (await this.#once("GET", path)).arrayBuffer()));
  }

  async #remove(path) {
    await this.#patiently(() => this.#once("DELETE", path));
  }

  /** Repeats a call while the service is busy or unreachable. */
  async #patiently(call) {
    const end = Date.now() + this.#patience;
    for (let delay = FIRST_PAUSE; ; delay = Math.min(2 * delay, LONGEST_PAUSE)) {
      try {
        return await call();
      } catch (error) {
        if (!isPassing(error) || Date.now() > end) {
          throw error;
        }
      }
      await pause(delay);
    }
  }

  async #once(method, path, body, headers = {}) {
    const authorization = { Authorization: `Bearer ${this.#token}` };
    // No cookie, no cache, no redirect that would take the token elsewhere.
    const fixed = { credentials: "omit", cache: "no-store", redirect: "error" };
    const options = { method, body, headers: { ...authorization, ...headers }, ...fixed };
    const response = await fetch(new URL(path, this.#url), options);
    if (!response.ok) {
      const problem = await response.json().catch(() => ({}));
      throw new ServiceError(problem, response.status);
    }
    return response;
  }
}

/** Returns whether the same request may succeed later: the service is busy or unreachable. */
function isPassing(error) {
  if (error instanceof ServiceError) {
    return [408, 429, 503].includes(error.status) || error.kind === "busy" || error.offset !== undefined;
  }
  return error instanceof TypeError;
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

async function digest(bytes) {
  const words = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(words, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function sourceOf(bytes) {
  const part = async (offset, count) => bytes.subarray(offset, offset + count);
  return { bytes: bytes.length, sha256: await digest(bytes), part };
}
