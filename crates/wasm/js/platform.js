// Functions that differ between the two platforms, browsers and Node.

/** Whether this runs in Node. */
export const isNode = globalThis.process?.versions?.node !== undefined;
