import { RE2JS } from 're2js'

/**
 * The maximum number of steps of a compiled pattern. Usual patterns have some dozens. Matching a name takes some
 * hundredths of a second for a thousand steps.
 */
const MAX_STEPS = 1000
/** The maximum length of a pattern after its repetitions are expanded. Longer patterns take long to compile. */
const MAX_EXPANDED = 100_000
/** RE2's own limit of repetitions; nested ones are multiplied. */
const MAX_REPEATS = 1000

/** The maximum product of a pattern's steps and a text's characters: about twenty milliseconds of work. */
const MAX_WORK = 300_000

/**
 * Compiles a user's pattern for an engine with linear time. Throws an Error for an invalid pattern and for one that is
 * too large.
 */
export function linearPattern(source: string, flags = 0): RE2JS {
  if (source.length * repeatsIn(source) > MAX_EXPANDED) throw tooLarge()
  const pattern = compile(source, flags)
  if (pattern.programSize() > MAX_STEPS) throw tooLarge()
  return pattern
}

/** The start of a text that a pattern can search in about twenty milliseconds. */
export function searchable(pattern: RE2JS, text: string): string {
  return text.slice(0, Math.floor(MAX_WORK / pattern.programSize()))
}

/** The maximum number of pieces: about half a second of work. */
const MAX_PIECES = 25

/**
 * Splits a text into pieces that a pattern can search. Each piece overlaps half of the previous one, so that matches at
 * its border are found. Undefined for a text that would take more than half a second.
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

function compile(source: string, flags: number): RE2JS {
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
