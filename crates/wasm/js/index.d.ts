export { CiphertextInfo, Parameters, PublicKey, SecretKey, WrittenKey, sha256 } from "./native.js";

/** What is known of the loaded module. */
export interface Loaded {
  /** Bytes of the module's memory, which never shrinks: the most that was in use at once. */
  memoryBytes(): number;
}

/** Loads the WebAssembly module, once however often it is called. The classes work after that. */
export function load(): Promise<Loaded>;
