import type { Problem, Sources } from '../language/problem.ts'
import { Hash, isHash, type SourceLocation, type Value } from '../language/values.ts'

/** Collects what is wrong with a configuration, in the order in which it is found. */
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
 * One node of a configuration while it is checked. What it says begins with its location: the keys from the top joined
 * by `:`, lower-cased (spec ci 4.3).
 */
export class Node {
  readonly report: Report
  readonly location: string
  readonly value: Value
  readonly source: SourceLocation | undefined
  /** False once something was wrong with the node itself; its children are not visited then. */
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

  /** `jobs:x expire in should be …`: about a key whose value is checked with its owner. */
  attribute(name: string, message: string): void {
    this.#say(`${this.location} ${name.replaceAll('_', ' ')} ${message}`, this.sourceOf(name))
  }

  /** Right behind the location. */
  plain(message: string, location = this.source): void {
    this.#say(`${this.location} ${message}`, location)
  }

  /** Without a location. */
  bare(message: string): void {
    this.#say(message, this.source)
  }

  get hash(): Hash {
    return isHash(this.value) ? this.value : EMPTY
  }

  /** The value of a key; null for one that is not there. */
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

  /** The node of a list's item; `kind` names what it is. */
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

/** Checks a node and what is below it. */
export type Entry = (node: Node) => void

/** Visits the keys that are given, in the order of the entries, unless the node itself is wrong. */
export function visit(node: Node, entries: Readonly<Record<string, Entry>>): void {
  if (!node.ok) return
  for (const [key, entry] of Object.entries(entries)) if (node.get(key) !== null) entry(node.at(key))
}
