const duties: (() => void | Promise<void>)[] = []

/**
 * Has something done when the present test file has ended, wherever it is asked for: in a hook or in a test, where `afterAll`
 * would not be heard. Files of one worker share their modules, so whoever wants it says so each time.
 */
export function atEnd(duty: () => void | Promise<void>): void {
  duties.push(duty)
}

/** Does it all, the newest first. For `setup.ts`. */
export async function end(): Promise<void> {
  for (const duty of duties.splice(0).toReversed()) await duty()
}
