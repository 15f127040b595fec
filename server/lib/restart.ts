/** How an instance says that it wants to be started anew. */
export interface Restart {
  readonly asked: Promise<void>
  ask(): void
}

const restarts = new WeakMap<object, Restart>()

/** The wish of one instance, by its configuration. Whoever started it may hear of it. */
export function restartOf(config: object): Restart {
  const known = restarts.get(config)
  if (known) return known
  const { promise, resolve } = Promise.withResolvers<void>()
  const made = { asked: promise, ask: () => resolve() }
  restarts.set(config, made)
  return made
}
