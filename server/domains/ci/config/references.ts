import { LoadError } from './problem.ts'
import { isHash, isList, Reference, type Hash, type SourceLocation, type Value } from './values.ts'

const MAX_DEPTH = 10

/**
 * Puts in the place of every `!reference` the value it names (spec ci 4.11). Throws LoadError for one that names
 * nothing, or leads back to itself. `spend` is told of every value, so that references cannot multiply without end.
 */
export function resolveReferences(config: Hash, spend: () => void): Hash {
  return new Resolver(config, spend).hash(config, [])
}

class Resolver {
  readonly #config: Hash
  readonly #spend: () => void
  #place: SourceLocation | undefined

  constructor(config: Hash, spend: () => void) {
    this.#config = config
    this.#spend = spend
  }

  /** The same mapping where nothing in it is a reference. */
  hash(hash: Hash, line: readonly string[]): Hash {
    let copy: Hash | undefined
    for (const [key, value] of hash) {
      this.#place = hash.places.get(key) ?? this.#place
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
    if (!isValid(reference)) throw new LoadError(`${name} is not valid`, this.#place)
    if (line.includes(name) || line.length >= MAX_DEPTH) {
      throw new LoadError(`${name} is part of a circular chain`, this.#place)
    }
    const found = this.#find(reference)
    if (found === undefined) throw new LoadError(`${name} could not be found`, this.#place)
    return this.#value(found, [...line, name])
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
