import { setFlagsFromString } from 'node:v8'

/** How long the start's own garbage is to be expected. */
const START_MS = 3000

/**
 * Keeps the part of the memory small in which V8 makes new objects, until the start is over: what a start throws away made
 * it grow by 16 MB that an instance with little to do never gives back. Under load it grows afterwards as it always does.
 */
export function startSmall(args: readonly string[]): void {
  if (!args.includes('serve')) return
  setFlagsFromString('--semi-space-growth-factor=1')
  setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), START_MS).unref()
}
