/** A request of the instance to be restarted. */
export interface Restart {
  readonly requested: Promise<void>
  request(): void
}

export function newRestart(): Restart {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { requested: promise, request: () => resolve() }
}
