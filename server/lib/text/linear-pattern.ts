import { RE2JS } from 're2js'

/**
 * Limit of a pattern's steps. Usual patterns have some dozens; a name is matched against a thousand in hundredths of a
 * second.
 */
const MAX_STEPS = 1000
/** Limit of an unfolded pattern before it is compiled, because compiling takes time too. */
const MAX_UNFOLDED = 100_000
/** RE2's own limit of repetitions, nested ones multiplied. */
const MAX_REPEATS = 1000

/** Steps of a pattern times characters of a text: about twenty milliseconds. */
const MAX_WORK = 300_000

/**
 * Compiles a user's pattern for an engine with linear time. Throws an Error for an invalid pattern and for one that is
 * too large.
 */
export function linearPattern(source: string, flags = 0): RE2JS {
  if (source.length * repeatsIn(source) > MAX_UNFOLDED) throw tooLarge()
  const compiledPattern = compiled(source, flags)
  if (compiledPattern.programSize() > MAX_STEPS) throw tooLarge()
  return compiledPattern
}

/** The start of a text that a pattern can search at once. */
export function searchable(pattern: RE2JS, text: string): string {
  return text.slice(0, Math.floor(MAX_WORK / pattern.programSize()))
}

/** About half a second of work. */
const MAX_PIECES = 25

/**
 * Splits a text into overlapping pieces that a pattern can search, each half old and half new; undefined for a text
 * that would take more than half a second.
 */
export function searchablePieces(pattern: RE2JS, text: string): string[] | undefined {
  const length = Math.floor(MAX_WORK / pattern.programSize())
  if (text.length <= length) return [text]
  const step = Math.ceil(length / 2)
  const count = Math.ceil((text.length - length) / step) + 1
  if (count > MAX_PIECES) return undefined
  return Array.from({ length: count }, (_, index) => text.slice(index * step, index * step + length))
}

/** The number of copies of the most repeated part after expanding `{…}`. */
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
