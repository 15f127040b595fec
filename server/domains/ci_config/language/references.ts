import {
  deepMerge,
  Hash,
  isHash,
  isList,
  Reference,
  type SourceLocation,
  type Value,
  LoadError,
} from './values.ts'

const MAX_DEPTH = 10

/**
 * Replaces every `!reference` by the value that it names (spec ci 4.11). Throws LoadError for an unknown or circular
 * reference. Calls `countValue` for every value, so that the caller can limit how far references multiply values.
 */
export function resolveReferences(config: Hash, countValue: () => void): Hash {
  return new Resolver(config, countValue).hash(config, [])
}

class Resolver {
  readonly #config: Hash
  readonly #countValue: () => void
  #location: SourceLocation | undefined

  constructor(config: Hash, countValue: () => void) {
    this.#config = config
    this.#countValue = countValue
  }

  /** Returns the same mapping if it contains no reference. */
  hash(hash: Hash, chain: readonly string[]): Hash {
    let copy: Hash | undefined
    for (const [key, value] of hash) {
      this.#location = hash.locations.get(key) ?? this.#location
      const resolved = this.#value(value, chain)
      if (resolved === value) continue
      copy ??= hash.copy()
      copy.set(key, resolved)
    }
    return copy ?? hash
  }

  #value(value: Value, chain: readonly string[]): Value {
    this.#countValue()
    if (value instanceof Reference) return this.#target(value, chain)
    if (isHash(value)) return this.hash(value, chain)
    if (!isList(value)) return value
    const items = value.map((item) => this.#value(item, chain))
    return items.every((item, index) => item === value[index]) ? value : items
  }

  #target(reference: Reference, chain: readonly string[]): Value {
    const name = reference.toString()
    if (!isValid(reference)) throw new LoadError(`${name} is not valid`, this.#location)
    if (chain.includes(name) || chain.length >= MAX_DEPTH) {
      throw new LoadError(`${name} is part of a circular chain`, this.#location)
    }
    const value = this.#find(reference)
    if (value === undefined) throw new LoadError(`${name} could not be found`, this.#location)
    return this.#value(value, [...chain, name])
  }

  #find({ path }: Reference): Value | undefined {
    let current: Value | undefined = this.#config
    for (const segment of path) {
      if (isHash(current)) current = current.get(String(segment))
      else if (isList(current) && typeof segment === 'number') current = current.at(segment)
      else return undefined
    }
    return current
  }
}

function isValid({ path }: Reference): boolean {
  return path.length > 0 && path.every((segment) => ['string', 'number'].includes(typeof segment))
}

const MAX_ANCESTORS = 10

/**
 * Merges the bases of `extends` into every top-level mapping (spec ci 4.11). Later bases take precedence over earlier
 * ones, and the mapping's own keys over all bases. Throws LoadError for bases that are unknown, not a mapping, nested
 * too deep, or circular.
 */
export function applyExtends(config: Hash): Hash {
  if (![...config.values()].some((value) => isHash(value) && value.has('extends'))) return config
  const merger = new Merger(config)
  const merged = new Hash()
  for (const [key, value] of config) {
    merged.put(key, isHash(value) ? merger.merge(key, [], 0).value : value, config.locations.get(key))
  }
  merged.nonTextKeys = config.nonTextKeys
  return merged
}

interface Merged {
  readonly value: Hash
  /** The length of the longest chain of bases. */
  readonly height: number
}

class Merger {
  readonly #config: Hash
  readonly #cache = new Map<string, Merged>()

  constructor(config: Hash) {
    this.#config = config
  }

  /** Merges a mapping with its bases. `chain` contains the keys that led to it, `depth` is their number. */
  merge(key: string, chain: readonly string[], depth: number): Merged {
    const cached = this.#cache.get(key)
    if (cached && depth + cached.height <= MAX_ANCESTORS) return cached
    const config = this.#config.get(key) as Hash
    const bases = namesOf(config.get('extends'))
    if (bases.length === 0) return this.#store(key, { value: config, height: 0 })
    this.#check(key, config, bases, [...chain, key], depth)
    let base = new Hash()
    let height = 0
    for (const name of bases) {
      const parent = this.merge(name, [...chain, key], depth + 1)
      base = deepMerge(base, parent.value)
      height = Math.max(height, parent.height + 1)
    }
    return this.#store(key, { value: deepMerge(base, config), height })
  }

  #check(key: string, hash: Hash, bases: readonly string[], chain: readonly string[], depth: number): void {
    const location = hash.locations.get('extends') ?? this.#config.locations.get(key)
    const refuse = (message: string) => new LoadError(`${key}: ${message}`, location)
    const unknown = bases.filter((base) => !this.#config.has(base))
    if (unknown.length > 0) throw refuse(`unknown keys in \`extends\` (${unknown.join(', ')})`)
    const invalid = bases.filter((base) => !isHash(this.#config.get(base)))
    if (invalid.length > 0) throw refuse(`invalid base hashes in \`extends\` (${invalid.join(', ')})`)
    if (bases.some((base) => chain.includes(base))) throw refuse('circular dependency detected in `extends`')
    if (depth >= MAX_ANCESTORS) throw refuse('nesting too deep in `extends`')
  }

  #store(key: string, merged: Merged): Merged {
    this.#cache.set(key, merged)
    return merged
  }
}

function namesOf(value: Value | undefined): string[] {
  if (value === null || value === undefined) return []
  return (isList(value) ? value : [value]).filter((item) => !isHash(item) && !isList(item)).map(String)
}
