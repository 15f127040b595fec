import { RE2JS } from 're2js'

/** Steps of a pattern: what people write has some dozens, and a name is compared with a thousand in hundredths of a second. */
const MAX_STEPS = 1000
/** What may come of a pattern before it is known how many steps it really has; making them takes time as well. */
const MAX_UNFOLDED = 100_000
/** RE2 itself takes no more repetitions, also where they stand inside of each other. */
const MAX_REPEATS = 1000

/** Steps of a pattern times characters of a text: about twenty milliseconds. */
const MAX_WORK = 300_000

/**
 * A pattern of somebody, for the engine whose time grows with text times pattern only. Throws an Error that says what is
 * wrong with it, also for one of so many steps that it would keep everybody waiting.
 */
export function linearPattern(source: string, flags = 0): RE2JS {
  if (source.length * repeatsIn(source) > MAX_UNFOLDED) throw tooLarge()
  const made = compiled(source, flags)
  if (made.programSize() > MAX_STEPS) throw tooLarge()
  return made
}

/** The start of a text in which a pattern can be looked for at once. */
export function searchable(pattern: RE2JS, text: string): string {
  return text.slice(0, Math.floor(MAX_WORK / pattern.programSize()))
}

/** Half a second's work. */
const MAX_PIECES = 25

/**
 * A text in pieces that a pattern can be looked for in at once, each half of the one before and half new; undefined for
 * a text of more than could be looked through in half a second.
 */
export function searchablePieces(pattern: RE2JS, text: string): string[] | undefined {
  const length = Math.floor(MAX_WORK / pattern.programSize())
  if (text.length <= length) return [text]
  const step = Math.ceil(length / 2)
  const count = Math.ceil((text.length - length) / step) + 1
  if (count > MAX_PIECES) return undefined
  return Array.from({ length: count }, (_, index) => text.slice(index * step, index * step + length))
}

/** How often the most repeated part of a pattern may stand there once `{…}` are written out. */
function repeatsIn(source: string): number {
  const counts = Array.from(source.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g), ([, from, to]) =>
    Math.max(1, Number(from), Number(to ?? 0)),
  )
  return counts.reduce((product, count) => Math.min(MAX_REPEATS, product * count), 1)
}

function compiled(source: string, flags: number): RE2JS {
  try {
    return RE2JS.compile(source, flags)
  } catch (error) {
    const { message } = error as Error
    throw new Error(message.replace(/^error parsing regexp: /, ''), { cause: error })
  }
}

function tooLarge(): Error {
  return new Error('the pattern is too large')
}
