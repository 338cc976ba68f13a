// A place for an evaluation key between its generation and its upload. A packed key has hundreds of megabytes, and the
// service needs its length and digest before its bytes. It is therefore stored in the browser's private file system, or in
// a temporary file in Node, and memory holds one part at a time. Evaluation keys hold no secret in the clear.

import { isNode } from "./platform.js";

/** Beginning of the names of files in the browser's private file system. */
const PREFIX = "cryptable-key-";

/** Opens a new file: `write` appends a piece, `read` returns a copy of bytes, `remove` deletes the file. */
export function createKeyFile() {
  return isNode ? createTemporaryFile() : createPrivateFile();
}

async function createTemporaryFile() {
  const fs = await import("node:fs");
  const { tmpdir } = await import("node:os");
  const { join } = await import("node:path");
  const folder = fs.mkdtempSync(join(tmpdir(), PREFIX));
  const path = join(folder, "key");
  const file = fs.openSync(path, "wx+", 0o600);
  let length = 0;
  let isOpen = true;
  return {
    write(piece) {
      // A call may write only a part of its argument.
      for (let done = 0; done < piece.length; ) {
        const count = fs.writeSync(file, piece, done, piece.length - done, length);
        done += count;
        length += count;
      }
    },
    read(offset, count) {
      const bytes = new Uint8Array(Math.min(count, length - offset));
      for (let done = 0; done < bytes.length; ) {
        done += fs.readSync(file, bytes, done, bytes.length - done, offset + done);
      }
      return bytes;
    },
    remove() {
      if (isOpen) {
        isOpen = false;
        fs.closeSync(file);
        fs.rmSync(folder, { recursive: true });
      }
    },
  };
}

async function createPrivateFile() {
  const folder = await navigator.storage.getDirectory();
  await removeLeftFiles(folder);
  const name = PREFIX + crypto.randomUUID();
  const entry = await folder.getFileHandle(name, { create: true });
  const file = await entry.createSyncAccessHandle();
  let isOpen = true;
  return {
    write(piece) {
      // At the browser's quota, fewer bytes than requested are written.
      if (file.write(piece, { at: file.getSize() }) < piece.length) {
        throw new Error("the browser has no more room for the evaluation key: free some disk space");
      }
    },
    read(offset, count) {
      const bytes = new Uint8Array(Math.min(count, file.getSize() - offset));
      file.read(bytes, { at: offset });
      return bytes;
    },
    async remove() {
      if (isOpen) {
        isOpen = false;
        file.close();
        await folder.removeEntry(name);
      }
    },
  };
}

/** Removes files left behind by pages that have been closed. Files of open pages are locked and stay. */
async function removeLeftFiles(folder) {
  for await (const name of folder.keys()) {
    if (name.startsWith(PREFIX)) {
      await folder.removeEntry(name).catch(() => {});
    }
  }
}
