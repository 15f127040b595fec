import { LoadError } from '../language/problem.ts'
import { isHash, isList, Reference, type Value } from '../language/values.ts'

/** The reference's message for a configuration that is too large or too deep. */
export const TOO_BIG = 'The parsed YAML is too big'
/** Limits of the size of configurations (settings `max_yaml_*`, `ci_max_*`). */
export interface Limits {
  /** Bytes of the parsed values of one file; aliases count as often as they are used. */
  readonly yamlBytes: number
  /** Depth of nested lists and hashes. */
  readonly yamlDepth: number
  /** Number of included files; files that are included twice count twice. */
  readonly includes: number
  /** Characters of all files together; 0 for any. */
  readonly totalBytes: number
}

/** Default limits. */
export const LIMITS: Limits = {
  yamlBytes: 2 * 1024 * 1024,
  yamlDepth: 100,
  includes: 150,
  totalBytes: 300 * 1024 * 1024,
}

/** Most characters of one file before it is parsed. */
export function maxCharacters({ yamlBytes }: Limits): number {
  return Math.max(1_500_000, yamlBytes > LIMITS.yamlBytes ? yamlBytes : 0)
}

/** Throws LoadError for values beyond the limits (spec ci 4.1). Stops counting at the limit. */
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

/** The same for the whole configuration after files and bases are merged. */
export function checkMerged(value: Value, limits: Limits): void {
  checkSize(value, { ...limits, yamlBytes: 4 * Math.max(limits.yamlBytes, LIMITS.yamlBytes) })
}
