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
 * Replaces every `!reference` by the value it names (spec ci 4.11). Throws LoadError for an unknown or circular
 * reference. Calls `spend` for every value, so that references cannot multiply without end.
 */
export function resolveReferences(config: Hash, spend: () => void): Hash {
  return new Resolver(config, spend).hash(config, [])
}

class Resolver {
  readonly #config: Hash
  readonly #spend: () => void
  #location: SourceLocation | undefined

  constructor(config: Hash, spend: () => void) {
    this.#config = config
    this.#spend = spend
  }

  /** Returns the same mapping if it contains no reference. */
  hash(hash: Hash, line: readonly string[]): Hash {
    let copy: Hash | undefined
    for (const [key, value] of hash) {
      this.#location = hash.locations.get(key) ?? this.#location
      const resolved = this.#value(value, line)
      if (resolved === value) continue
      copy ??= hash.copy()
      copy.set(key, resolved)
    }
    return copy ?? hash
  }

  #value(value: Value, line: readonly string[]): Value {
    this.#spend()
    if (value instanceof Reference) return this.#target(value, line)
    if (isHash(value)) return this.hash(value, line)
    if (!isList(value)) return value
    const items = value.map((item) => this.#value(item, line))
    return items.every((item, index) => item === value[index]) ? value : items
  }

  #target(reference: Reference, line: readonly string[]): Value {
    const name = reference.toString()
    if (!isValid(reference)) throw new LoadError(`${name} is not valid`, this.#location)
    if (line.includes(name) || line.length >= MAX_DEPTH) {
      throw new LoadError(`${name} is part of a circular chain`, this.#location)
    }
    const value = this.#find(reference)
    if (value === undefined) throw new LoadError(`${name} could not be found`, this.#location)
    return this.#value(value, [...line, name])
  }

  #find({ path }: Reference): Value | undefined {
    let at: Value | undefined = this.#config
    for (const part of path) {
      if (isHash(at)) at = at.get(String(part))
      else if (isList(at) && typeof part === 'number') at = at.at(part)
      else return undefined
    }
    return at
  }
}

function isValid({ path }: Reference): boolean {
  return path.length > 0 && path.every((part) => typeof part === 'string' || typeof part === 'number')
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
    merged.put(key, isHash(value) ? merger.whole(key, [], 0).value : value, config.locations.get(key))
  }
  merged.odd = config.odd
  return merged
}

interface Merged {
  readonly value: Hash
  /** Length of the longest chain of bases above it. */
  readonly height: number
}

class Merger {
  readonly #config: Hash
  readonly #done = new Map<string, Merged>()

  constructor(config: Hash) {
    this.#config = config
  }

  /** `line` are the keys of the chain so far, `depth` their number. */
  whole(key: string, line: readonly string[], depth: number): Merged {
    const cached = this.#done.get(key)
    if (cached && depth + cached.height <= MAX_ANCESTORS) return cached
    const config = this.#config.get(key) as Hash
    const bases = namesOf(config.get('extends'))
    if (bases.length === 0) return this.#keep(key, { value: config, height: 0 })
    this.#check(key, config, bases, [...line, key], depth)
    let below = new Hash()
    let height = 0
    for (const base of bases) {
      const parent = this.whole(base, [...line, key], depth + 1)
      below = deepMerge(below, parent.value)
      height = Math.max(height, parent.height + 1)
    }
    return this.#keep(key, { value: deepMerge(below, config), height })
  }

  #check(key: string, hash: Hash, bases: readonly string[], line: readonly string[], depth: number): void {
    const location = hash.locations.get('extends') ?? this.#config.locations.get(key)
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
  return (isList(value) ? value : [value]).filter((item) => !isHash(item) && !isList(item)).map(String)
}
