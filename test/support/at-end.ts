const pending: (() => void | Promise<void>)[] = []

/**
 * Runs `work` at the end of the current test file. It can be called in a hook or a test, where `afterAll` has no effect.
 * The files of one worker share their modules, so each file registers its own work.
 */
export function atEnd(work: () => void | Promise<void>): void {
  pending.push(work)
}

/** Runs all registered work, newest first. For `setup.ts`. */
export async function end(): Promise<void> {
  for (const work of pending.splice(0).toReversed()) await work()
}
