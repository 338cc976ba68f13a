export { CiphertextInfo, Parameters, PublicKey, SecretKey, WrittenKey, sha256 } from "./native.js";

/** The loaded module. */
export interface Loaded {
  /** Bytes of the module's memory, which never shrinks: the most that was in use at once. */
  memoryBytes(): number;
}

/** Loads the WebAssembly module; later calls reuse it. The classes work only after that. */
export function load(): Promise<Loaded>;
