// The two platforms that differ: browsers and Node.

/** Whether this runs in Node. */
export const isNode = globalThis.process?.versions?.node !== undefined;
