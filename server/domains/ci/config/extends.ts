import { LoadError } from './problem.ts'
import { deepMerge, Hash, isHash, isList, type Value } from './values.ts'

const MAX_ANCESTORS = 10

/**
 * Every mapping at the top gets what it extends (spec ci 4.11): later bases win over earlier ones, own keys over all.
 * Throws LoadError for bases that are not there, are no mappings, are too many in a row, or lead back.
 */
export function applyExtends(config: Hash): Hash {
  if (![...config.values()].some((value) => isHash(value) && value.has('extends'))) return config
  const merger = new Merger(config)
  const merged = new Hash()
  for (const [key, value] of config) {
    merged.put(key, isHash(value) ? merger.whole(key, [], 0).value : value, config.places.get(key))
  }
  merged.odd = config.odd
  return merged
}

interface Merged {
  readonly value: Hash
  /** Bases above it, the longest line counted. */
  readonly height: number
}

class Merger {
  readonly #config: Hash
  readonly #done = new Map<string, Merged>()

  constructor(config: Hash) {
    this.#config = config
  }

  /** `line` are the keys that led here, `depth` their number. */
  whole(key: string, line: readonly string[], depth: number): Merged {
    const known = this.#done.get(key)
    if (known && depth + known.height <= MAX_ANCESTORS) return known
    const own = this.#config.get(key) as Hash
    const bases = namesOf(own.get('extends'))
    if (bases.length === 0) return this.#keep(key, { value: own, height: 0 })
    this.#check(key, own, bases, [...line, key], depth)
    let below = new Hash()
    let height = 0
    for (const base of bases) {
      const one = this.whole(base, [...line, key], depth + 1)
      below = deepMerge(below, one.value)
      height = Math.max(height, one.height + 1)
    }
    return this.#keep(key, { value: deepMerge(below, own), height })
  }

  #check(key: string, own: Hash, bases: readonly string[], line: readonly string[], depth: number): void {
    const location = own.places.get('extends') ?? this.#config.places.get(key)
    const refuse = (message: string) => new LoadError(`${key}: ${message}`, location)
    const unknown = bases.filter((base) => !this.#config.has(base))
    if (unknown.length > 0) throw refuse(`unknown keys in \`extends\` (${unknown.join(', ')})`)
    const flat = bases.filter((base) => !isHash(this.#config.get(base)))
    if (flat.length > 0) throw refuse(`invalid base hashes in \`extends\` (${flat.join(', ')})`)
    if (bases.some((base) => line.includes(base))) throw refuse('circular dependency detected in `extends`')
    if (depth >= MAX_ANCESTORS) throw refuse('nesting too deep in `extends`')
  }

  #keep(key: string, merged: Merged): Merged {
    this.#done.set(key, merged)
    return merged
  }
}

function namesOf(value: Value | undefined): string[] {
  if (value === null || value === undefined) return []
  return (isList(value) ? value : [value]).filter((one) => !isHash(one) && !isList(one)).map(String)
}
