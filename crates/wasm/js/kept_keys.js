// Secret keys in the browser's IndexedDB, for pages that request it. They are stored without encryption: any script of the
// page's origin, and anyone who has the browser's profile, can read them.

const STORE = "secret-keys";

function open() {
  const request = indexedDB.open("cryptable", 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return answer(request);
}

function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function run(mode, call) {
  if (typeof indexedDB === "undefined") {
    throw new Error("there is no IndexedDB here: keep the bytes of the secret key yourself");
  }
  const database = await open();
  try {
    return await answer(call(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

/** Stores the bytes of a secret key under a name. */
export const keep = (name, bytes) => run("readwrite", (store) => store.put(bytes, name));

/** Returns the bytes stored under a name; `undefined` if there are none. */
export const find = (name) => run("readonly", (store) => store.get(name));

/** Removes the key stored under a name. */
export const forget = (name) => run("readwrite", (store) => store.delete(name));
