/** Lets the instance request a restart. */
export interface Restart {
  readonly asked: Promise<void>
  ask(): void
}

export function newRestart(): Restart {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { asked: promise, ask: () => resolve() }
}
