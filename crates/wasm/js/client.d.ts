import type { Source } from "./service.js";

/** The description of a parameter set. */
export interface Plan {
  engine: "packed" | "single" | "leveled";
  method: string;
  inputModulus: number;
  outputModulus: number;
  /** Number of values in one part of a ciphertext. */
  valuesPerPart: number;
  /** Estimated security in bits; 0 for a toy. */
  securityBits: number;
  /** Base-2 logarithm of the probability that a lookup goes wrong for any value of one ciphertext. */
  log2Fail: number;
  /** Predicted bytes of the evaluation key as it is sent. */
  evaluationKeyBytes: number;
  /** Digest of the parameters. */
  digest: string;
  /** A human-readable line. */
  text: string;
  /** The parameters as a file. */
  file: Uint8Array;
}

/** The description of a secret key; the key itself stays in the worker. */
export interface Key extends Plan {
  /** Identifier that the key, its evaluation keys and its ciphertexts share. */
  id: string;
}

export interface PlanOptions {
  /** Default: all engines are compared. */
  engine?: "packed" | "single" | "leveled";
  /** Number of values that are looked up together. Default: the capacity of a packed ciphertext. */
  values?: number;
  /** Parameters without any security, for tests. */
  insecureToy?: boolean;
}

export interface ReadOptions {
  /** Whether parameters without security are accepted, for tests. */
  allowInsecure?: boolean;
}

/** An evaluation key in the browser's private file system, or in a temporary file of Node. */
export interface KeyFile extends Source {
  /** Returns bytes of the file. */
  part(offset: number, count: number): Promise<Uint8Array>;
  /** Removes the file. Call it once the key is sent. */
  remove(): Promise<void>;
}

/** Keys, encryption and decryption in a worker, so that the page never blocks. A client holds one secret key. */
export class Client {
  /** Starts a worker. */
  static start(): Promise<Client>;
  /** Finds the best parameters for tables of these moduli. */
  plan(inputModulus: number, outputModulus: number, options?: PlanOptions): Promise<Plan>;
  /** Generates a secret key from the platform's random numbers; it replaces the previous one. */
  generate(plan: Plan, options?: ReadOptions): Promise<Key>;
  /** Reads the bytes of a secret key; it replaces the previous one. Clear the bytes afterwards. */
  restore(bytes: Uint8Array, options?: ReadOptions): Promise<Key>;
  /** Returns the bytes of the secret key: anyone who has them can decrypt. */
  secretBytes(): Promise<Uint8Array>;
  /** Encrypts values below the input modulus, or signed ones; returns a file of ciphertexts. */
  encrypt(values: Uint32Array | Int32Array): Promise<Uint8Array>;
  /** Encrypts with another client's public key; returns a file of ciphertexts. */
  encryptFor(publicKey: Uint8Array, values: Uint32Array, options?: ReadOptions): Promise<Uint8Array>;
  /** Decrypts a file of ciphertexts to exact integers. */
  decrypt(file: Uint8Array): Promise<Uint32Array>;
  /** Decrypts a file of signed values. */
  decryptSigned(file: Uint8Array): Promise<Int32Array>;
  /** Generates a public key, with which others encrypt for this key. */
  publicKey(): Promise<Uint8Array>;
  /** Generates the evaluation key for a server; `onProgress` receives the number of steps done and the total. */
  evaluationKey(onProgress?: (done: number, total: number) => void): Promise<KeyFile>;
  /** The SHA-256 digest of bytes in hexadecimal digits. */
  sha256(bytes: Uint8Array): Promise<string>;
  /** Bytes of the WebAssembly module's memory, which never shrinks: the most that was in use at once. */
  memoryBytes(): Promise<number>;
  /** Stores the secret key in the browser's IndexedDB, without encryption, under a name. */
  keep(name: string): Promise<void>;
  /** Restores a stored key; `undefined` if there is none. */
  restoreKept(name: string, options?: ReadOptions): Promise<Key | undefined>;
  /** Removes a stored key. */
  forget(name: string): Promise<void>;
  /** Clears the secret key, removes files of evaluation keys and ends the worker. */
  close(): Promise<void>;
  /** Ends the worker at once, even in the middle of a call. Its memory goes back to the system without being cleared. */
  stop(): void;
}
