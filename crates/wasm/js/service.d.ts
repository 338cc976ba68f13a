/** A file that is sent part by part. */
export interface Source {
  /** Length in bytes. */
  bytes: number;
  /** SHA-256 digest in hexadecimal digits. */
  sha256: string;
  /** Returns at most `count` bytes from `offset` on. */
  part(offset: number, count: number): Promise<Uint8Array>;
}

/** A table that the operator offers. */
export interface TableInfo {
  name: string;
  input_modulus: number;
  output_modulus: number;
  signed_inputs: boolean;
  signed_outputs: boolean;
  digest: string;
}

/** A file that the service keeps. */
export interface StoredFile {
  sha256: string;
  bytes: number;
  engine: string;
  key_id: string;
  parameters: string;
  modulus: number;
}

/** A public key that a client publishes. */
export interface PublishedKey extends StoredFile {
  owner: string;
}

export interface Job {
  id: string;
  state: "queued" | "running" | "done" | "failed";
  /** Share of the work that is done, 0 to 1. */
  progress: number;
  /** Predicted seconds of work. */
  estimate_s: number;
  /** Length of each result in bytes. */
  results: number[];
  reason?: string;
}

export interface ServiceOptions {
  /** Bytes per part of an upload. Default: 8 MiB. */
  partBytes?: number;
  /** Milliseconds for which calls to a service that does not answer are repeated. Default: a minute. */
  patience?: number;
  /** Whether the token may go to another machine without TLS. Default: no. */
  plainHttp?: boolean;
}

/** A refusal of the service. */
export class ServiceError extends Error {
  status: number;
  /** The problem's name in the interface, such as `too-large`. */
  kind?: string;
  /** The limit that was exceeded. */
  exceeded?: { name: string; limit: number; found: number };
}

/** A client of `cryptable serve`, in pages and in Node. */
export class Service {
  constructor(url: string | URL, token: string, options?: ServiceOptions);
  /** Returns the tables that the operator offers. */
  tables(): Promise<TableInfo[]>;
  /** Returns the first thousand evaluation keys of this client. */
  keys(): Promise<StoredFile[]>;
  /** Returns the first thousand public keys of all clients. */
  publicKeys(): Promise<PublishedKey[]>;
  /** Fetches a public key. Only its owner can confirm that the key is theirs. */
  publicKey(sha256: string): Promise<Uint8Array>;
  /** Sends a file in parts, continuing an interrupted upload. */
  upload(
    kind: "evaluation-key" | "ciphertext" | "public-key",
    file: Uint8Array | Source,
    options?: { recipient?: string; onProgress?: (sent: number, bytes: number) => void },
  ): Promise<StoredFile>;
  /** Orders a lookup of a file of ciphertexts in tables, with an evaluation key; both files are named by their digests. */
  order(key: string, ciphertext: string, tables: string[]): Promise<Job>;
  /** Returns the state of a job. */
  job(id: string): Promise<Job>;
  /** Waits until a job is done. */
  wait(id: string, onProgress?: (share: number, job: Job) => void): Promise<Job>;
  /** Fetches the result for the table at this position in the order. */
  result(job: Job, place?: number): Promise<Uint8Array>;
  /** Stops a job and removes it with its results. */
  removeJob(id: string): Promise<void>;
  /** Removes a file of ciphertexts. */
  removeCiphertext(sha256: string): Promise<void>;
  /** Removes an evaluation key. */
  removeKey(sha256: string): Promise<void>;
  /** Sends ciphertexts, has them looked up, fetches the result, and removes all of it from the service. */
  lookup(
    key: string,
    ciphertext: Uint8Array | Source,
    table: string,
    options?: { onProgress?: (share: number, job: Job) => void },
  ): Promise<Uint8Array>;
}
