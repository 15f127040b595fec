import { LoadError } from '../language/problem.ts'
import { isHash, isList, Reference, type Value } from '../language/values.ts'

/** What the reference says when a configuration is too large or too deep. */
export const TOO_BIG = 'The parsed YAML is too big'
/** How large configurations may be (settings `max_yaml_*`, `ci_max_*`). */
export interface Limits {
  /** Of the parsed values of one file, aliases counted as often as they are used. */
  readonly yamlBytes: number
  /** Lists and hashes inside each other. */
  readonly yamlDepth: number
  /** Files that are included, those named twice counted twice. */
  readonly includes: number
  /** Characters of all files together; 0 for any. */
  readonly totalBytes: number
}

/** What holds where nobody says otherwise. */
export const LIMITS: Limits = {
  yamlBytes: 2 * 1024 * 1024,
  yamlDepth: 100,
  includes: 150,
  totalBytes: 300 * 1024 * 1024,
}

/** Characters of one file that are looked at, before it is parsed. */
export function maxCharacters({ yamlBytes }: Limits): number {
  return Math.max(1_500_000, yamlBytes > LIMITS.yamlBytes ? yamlBytes : 0)
}

/** Refuses what has grown beyond the limits (spec ci 4.1). Stops counting where the limit is passed. */
export function checkSize(value: Value, { yamlBytes, yamlDepth }: Limits = LIMITS): void {
  let size = 0
  const walk = (one: Value, depth: number): void => {
    if (depth > yamlDepth) throw new LoadError(TOO_BIG)
    size += 16 + (typeof one === 'string' ? one.length : 0)
    if (size > yamlBytes) throw new LoadError(TOO_BIG)
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
export function checkMerged(value: Value, limits: Limits): void {
  checkSize(value, { ...limits, yamlBytes: 4 * Math.max(limits.yamlBytes, LIMITS.yamlBytes) })
}
