import { setFlagsFromString } from 'node:v8'

/** The flags that keep the memory of an instance small, each with V8's default. */
const FLAGS = [
  { own: '--semi-space-growth-factor=1', default: '--semi-space-growth-factor=2' },
  // How much the heap grows between two full collections, in percent of what is in use. V8 would let it grow fourfold.
  { own: '--heap-growing-percent=40', default: '--heap-growing-percent=0' },
  // Only contexts created afterwards have `gc`, and only `small-memory.ts` uses it.
  { own: '--expose-gc', default: '--no-expose-gc' },
]

/** Sets the flags that keep the memory of an instance small. */
export function setFlags(): void {
  for (const { own } of FLAGS) setFlagsFromString(own)
}

/** Runs a function under V8's default flags: V8 accepts compiled code only under the flags under which it was stored. */
export function withDefaultFlags<T>(work: () => T): T {
  for (const flag of FLAGS) setFlagsFromString(flag.default)
  try {
    return work()
  } finally {
    setFlags()
  }
}
