import {
  Hash,
  isHash,
  type SourceLocation,
  type Value,
  type Problem,
  type Sources,
} from '../language/values.ts'

/** Collects the errors and warnings of a configuration, in the order in which they are found. */
export class Report {
  readonly errors: Problem[] = []
  readonly warnings: Problem[] = []
  readonly #sources: Sources

  constructor(sources: Sources) {
    this.#sources = sources
  }

  error(message: string, location: SourceLocation | undefined): void {
    this.errors.push(this.#sources.problem(message, location))
  }

  warn(message: string, location: SourceLocation | undefined): void {
    this.warnings.push(this.#sources.problem(message, location))
  }
}

/**
 * One node of a configuration while it is checked. Its messages begin with its location: the keys from the root, joined
 * by `:` and lower-cased (spec ci 4.3).
 */
export class Node {
  readonly report: Report
  readonly location: string
  readonly value: Value
  /** Where the node is in its file. */
  readonly source: SourceLocation | undefined
  /** False after an error of the node itself. Its children are not visited then. */
  isValid = true

  constructor(report: Report, location: string, value: Value, source: SourceLocation | undefined) {
    this.report = report
    this.location = location
    this.value = value
    this.source = source
  }

  /** Reports an error about the node: `jobs:x:cache config should be …`. */
  configError(message: string): void {
    this.error(`config ${message}`)
  }

  /** Reports an error about a key that is checked together with its node: `jobs:x expire in should be …`. */
  attributeError(name: string, message: string): void {
    this.#report(`${this.location} ${name.replaceAll('_', ' ')} ${message}`, this.sourceOf(name))
  }

  /** Reports an error with a message that follows the location directly. */
  error(message: string, location = this.source): void {
    this.#report(`${this.location} ${message}`, location)
  }

  /** Reports an error without a location. */
  bareError(message: string): void {
    this.#report(message, this.source)
  }

  /** The mapping of the node. Empty if the node is not a mapping. */
  get hash(): Hash {
    return isHash(this.value) ? this.value : EMPTY
  }

  /** The value of a key. Null if the key is absent. */
  get(key: string): Value {
    return this.hash.get(key) ?? null
  }

  has(key: string): boolean {
    return this.hash.has(key)
  }

  sourceOf(key: string): SourceLocation | undefined {
    return this.hash.locations.get(key) ?? this.source
  }

  /** The node of a key. */
  child(key: string): Node {
    return new Node(this.report, this.#childLocation(key), this.get(key), this.sourceOf(key))
  }

  /** The node of an item of a list. `kind` names the item in messages. */
  item(kind: string, value: Value): Node {
    const location = isHash(value) ? ([...value.locations.values()][0] ?? this.source) : this.source
    return new Node(this.report, this.#childLocation(kind), value, location)
  }

  #childLocation(key: string): string {
    return this.location === '' ? key : `${this.location}:${key}`
  }

  #report(message: string, location: SourceLocation | undefined): void {
    this.isValid = false
    this.report.error(message.trimStart().toLowerCase(), location)
  }
}

const EMPTY = new Hash()

/** A function that checks a node and the nodes below it. */
export type Entry = (node: Node) => void

/** Checks the children of a node in the order of the entries, unless the node itself has an error. */
export function visit(node: Node, entries: Readonly<Record<string, Entry>>): void {
  if (!node.isValid) return
  for (const [key, entry] of Object.entries(entries)) if (node.get(key) !== null) entry(node.child(key))
}
