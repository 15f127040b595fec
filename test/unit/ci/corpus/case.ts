/** A configuration and everything that is said about it, in order. Written from the contract. */
export type Case = readonly [yaml: string, errors?: readonly string[], warnings?: readonly string[]]

/** A configuration of one job `test` with further keys, in flow style. */
export const job = (keys: string): string => `test: {script: make, ${keys}}`

/** One wrong key of the job: what is said begins with its location. */
export const wrong = (keys: string, ...errors: string[]): Case => [
  job(keys),
  errors.map((error) => `jobs:test${error}`),
]

/** A job with keys that are fine. */
export const right = (keys: string): Case => [job(keys)]
