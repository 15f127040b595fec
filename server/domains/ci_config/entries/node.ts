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
 * One node of a configuration while it is checked. Its messages begin with its location: the keys from the top joined
 * by `:`, lower-cased (spec ci 4.3).
 */
export class Node {
  readonly report: Report
  readonly location: string
  readonly value: Value
  readonly source: SourceLocation | undefined
  /** False after an error of the node itself; its children are not visited then. */
  ok = true

  constructor(report: Report, location: string, value: Value, source: SourceLocation | undefined) {
    this.report = report
    this.location = location
    this.value = value
    this.source = source
  }

  /** `jobs:x:cache config should be …`. */
  config(message: string): void {
    this.plain(`config ${message}`)
  }

  /** `jobs:x expire in should be …`: a message about a key that is checked together with its node. */
  attribute(name: string, message: string): void {
    this.#say(`${this.location} ${name.replaceAll('_', ' ')} ${message}`, this.sourceOf(name))
  }

  /** A message directly after the location. */
  plain(message: string, location = this.source): void {
    this.#say(`${this.location} ${message}`, location)
  }

  /** A message without a location. */
  bare(message: string): void {
    this.#say(message, this.source)
  }

  get hash(): Hash {
    return isHash(this.value) ? this.value : EMPTY
  }

  /** The value of a key; null for an absent one. */
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
  at(key: string): Node {
    return new Node(this.report, this.#below(key), this.get(key), this.sourceOf(key))
  }

  /** The node of a list's item; `kind` names the item in messages. */
  item(kind: string, value: Value): Node {
    const location = isHash(value) ? ([...value.locations.values()][0] ?? this.source) : this.source
    return new Node(this.report, this.#below(kind), value, location)
  }

  #below(key: string): string {
    return this.location === '' ? key : `${this.location}:${key}`
  }

  #say(message: string, location: SourceLocation | undefined): void {
    this.ok = false
    this.report.error(message.trimStart().toLowerCase(), location)
  }
}

const EMPTY = new Hash()

/** Checks a node and the nodes below it. */
export type Entry = (node: Node) => void

/** Visits the given keys in the order of the entries, unless the node itself is wrong. */
export function visit(node: Node, entries: Readonly<Record<string, Entry>>): void {
  if (!node.ok) return
  for (const [key, entry] of Object.entries(entries)) if (node.get(key) !== null) entry(node.at(key))
}
