import { LoadError } from '../problem.ts'
import { isHash, isList, Reference, type Value } from '../values.ts'

/** What the reference says when a configuration is too large or too deep. */
export const TOO_BIG = 'The parsed YAML is too big'
/** Of one file, before it is parsed. */
export const MAX_CHARACTERS = 1_500_000
/** Of the parsed values, aliases counted as often as they are used. */
const MAX_SIZE = 2 * 1024 * 1024
const MAX_DEPTH = 100

/** Refuses what has grown beyond the limits (spec ci 4.1). Stops counting where the limit is passed. */
export function checkSize(value: Value, limit = MAX_SIZE): void {
  let size = 0
  const walk = (one: Value, depth: number): void => {
    if (depth > MAX_DEPTH) throw new LoadError(TOO_BIG)
    size += 16 + (typeof one === 'string' ? one.length : 0)
    if (size > limit) throw new LoadError(TOO_BIG)
    if (isList(one)) for (const item of one) walk(item, depth + 1)
    else if (one instanceof Reference) for (const part of one.path) walk(part, depth + 1)
    else if (isHash(one)) {
      for (const [key, item] of one) {
        size += key.length
        walk(item, depth + 1)
      }
    }
  }
  walk(value, 0)
}

/** The same for the whole, when files and bases have been merged. */
export function checkMerged(value: Value): void {
  checkSize(value, 4 * MAX_SIZE)
}
