/** Somebody took the backup back. */
export class Cancelled extends Error {}

/** The instance ends. */
export class Stopped extends Error {}
