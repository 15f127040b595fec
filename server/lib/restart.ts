/** How an instance asks to be started again. */
export interface Restart {
  readonly asked: Promise<void>
  ask(): void
}

/** A restart that nobody asked for yet. */
export function newRestart(): Restart {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { asked: promise, ask: () => resolve() }
}
