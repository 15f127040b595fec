/** A configuration and its errors in order, as the contract defines them. */
export type Case = readonly [yaml: string, errors?: readonly string[], warnings?: readonly string[]]

/** A configuration of one job `test` with further keys, in flow style. */
export const job = (keys: string): string => `test: {script: make, ${keys}}`

/** One invalid key of the job; the error begins with its location. */
export const wrong = (keys: string, ...errors: string[]): Case => [
  job(keys),
  errors.map((error) => `jobs:test${error}`),
]

/** A job with valid keys. */
export const right = (keys: string): Case => [job(keys)]
