import { CST, isAlias, isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument, type Document } from 'yaml'

/** A problem at a position of a world. Lines and columns begin with 1. */
export interface Problem {
  readonly line: number
  readonly column: number
  /** The path in the tree, such as `projects[0].issues[2].author`. */
  readonly path: string
  readonly message: string
}

export type Position = Pick<Problem, 'line' | 'column'>

const MAX_BYTES = 16 * 1024 * 1024
const MAX_TREE_DEPTH = 40
/** The maximum number of values after aliases are resolved, and after entries are repeated. */
const MAX_VALUES = 300_000

/** The positions of values and keys in the text of a document. */
export class Positions {
  readonly #lines: LineCounter
  readonly #starts = new WeakMap<object, number>()
  readonly #keys = new WeakMap<object, Map<PropertyKey, { key: number; value: number }>>()

  constructor(lines: LineCounter) {
    this.#lines = lines
  }

  add(value: object, start: number, keys: Map<PropertyKey, { key: number; value: number }>): void {
    this.#starts.set(value, start)
    this.#keys.set(value, keys)
  }

  /** Gives a copy the position of its original. */
  copy(from: object, to: object): void {
    const [start, keys] = [this.#starts.get(from), this.#keys.get(from)]
    if (start !== undefined && keys) this.add(to, start, keys)
  }

  at(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }

  /** The position of the beginning of a value. */
  of(value: object): Position {
    return this.at(this.#starts.get(value) ?? 0)
  }

  /** The position of the value of a key, or of the key itself. */
  ofKey(value: object, key: PropertyKey, part: 'key' | 'value' = 'value'): Position {
    const entry = this.#keys.get(value)?.get(typeof key === 'number' ? String(key) : key)
    return entry ? this.at(entry[part]) : this.of(value)
  }

  /** The position of the part of a tree at a path. If it is missing, the position of its nearest ancestor. */
  find(root: unknown, path: readonly PropertyKey[], part: 'key' | 'value' = 'value'): Position {
    let value = root
    let position: Position =
      typeof root === 'object' && root !== null ? this.of(root) : { line: 1, column: 1 }
    for (const [index, key] of path.entries()) {
      if (typeof value !== 'object' || value === null) return position
      if (!(key in value)) return position
      position = this.ofKey(value, key, index === path.length - 1 ? part : 'value')
      value = (value as Record<PropertyKey, unknown>)[key]
    }
    return position
  }
}

/** The content of a world before it is validated against the schema. */
export interface ParsedWorld {
  readonly value: unknown
  readonly positions: Positions
  readonly problems: readonly Problem[]
}

/** Reads the YAML (or JSON) text of a world. Never throws. */
export function readWorld(text: string): ParsedWorld {
  const lines = new LineCounter()
  const positions = new Positions(lines)
  const failure = (message: string, offset = 0): ParsedWorld => ({
    value: undefined,
    positions,
    problems: [{ ...positions.at(offset), path: '', message }],
  })
  if (text.length > MAX_BYTES) return failure('The world is larger than 16 MB.')
  // oxlint-disable-next-line no-control-regex
  const invalidAt = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/)
  if (invalidAt >= 0) {
    lines.addNewLine(0)
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
    return failure('This is not text: a world is a YAML file in UTF-8.', invalidAt)
  }
  const deepOffset = findDeepNesting(text)
  if (deepOffset >= 0) return failure('The world is nested too deep.', deepOffset)
  let document: Document
  try {
    document = parseDocument(text, { lineCounter: lines, uniqueKeys: false, prettyErrors: false })
  } catch (error) {
    if (error instanceof RangeError) return failure('The world is nested too deep.')
    throw error
  }
  const [error] = document.errors
  if (error) return failure(`This is not YAML: ${error.message.split('\n')[0]}`, error.pos[0])
  if (!document.contents) return failure('The world is empty.')
  const reader = new Reader(positions)
  try {
    const value = reader.read(document.contents, '', 0)
    return { value, positions, problems: reader.problems }
  } catch (thrown) {
    if (thrown instanceof LimitExceeded) return failure(thrown.message, thrown.offset)
    if (thrown instanceof RangeError) return failure('The world is nested too deep.')
    throw thrown
  }
}

/**
 * The maximum number of open brackets, or of dashes in a row. The parser would take quadratic time for more, and no
 * world needs them.
 */
const MAX_DEPTH = 1000

/** The offset of the first position that is nested too deep, or -1. */
function findDeepNesting(text: string): number {
  let open = 0
  for (let at = 0; at < text.length && open <= MAX_DEPTH; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5b || code === 0x7b) open++
    else if ((code === 0x5d || code === 0x7d) && open > 0) open--
  }
  return open > MAX_DEPTH || DASHES_IN_A_ROW.test(text) ? findDeepTokens(text) : -1
}

const MAX_CONSECUTIVE = 100
const DASHES_IN_A_ROW = /(?:[-?:] ){100}/

/**
 * Checks the same limits for tokens of YAML only, so that brackets and dashes in texts, such as logs, do not count.
 * Returns the offset of the first token beyond a limit, or -1.
 */
function findDeepTokens(text: string): number {
  let [at, open, row] = [0, 0, 0]
  for (const token of new Lexer().lex(text)) {
    // The lexer marks tokens by control characters, which are not in the text.
    const type = CST.tokenType(token)
    if (type === 'flow-map-start' || type === 'flow-seq-start') open++
    else if ((type === 'flow-map-end' || type === 'flow-seq-end') && open > 0) open--
    if (type === 'seq-item-ind' || type === 'explicit-key-ind' || type === 'map-value-ind') row++
    else if (type !== 'space') row = 0
    if (open > MAX_DEPTH || row >= MAX_CONSECUTIVE) return at
    if (type !== 'doc-mode' && type !== 'flow-error-end' && type !== 'scalar') at += token.length
  }
  return -1
}

class LimitExceeded extends Error {
  readonly offset: number
  constructor(message: string, offset: number) {
    super(message)
    this.offset = offset
  }
}

interface NodeRange {
  readonly range?: readonly number[] | null | undefined
}

const startOf = (node: unknown): number => (node as NodeRange | null)?.range?.[0] ?? 0

class Reader {
  readonly problems: Problem[] = []
  readonly #positions: Positions
  /** The values of anchors, with the number of values that they contain; undefined while they are read. */
  readonly #anchors = new Map<string, { value: unknown; size: number } | undefined>()
  #size = 0

  constructor(positions: Positions) {
    this.#positions = positions
  }

  read(node: unknown, path: string, depth: number): unknown {
    if (depth > MAX_TREE_DEPTH) throw new LimitExceeded('The world is nested too deep.', startOf(node))
    this.#grow(1, node)
    if (isAlias(node)) return this.#alias(node.source, node, path)
    if (isScalar(node)) return this.#withAnchor(node.anchor, () => node.value)
    if (isSeq(node)) return this.#withAnchor(node.anchor, () => this.#list(node.items, node, path, depth))
    if (isMap(node)) return this.#withAnchor(node.anchor, () => this.#map(node.items, node, path, depth))
    return null
  }

  #list(items: readonly unknown[], node: unknown, path: string, depth: number): unknown[] {
    const list = items.map((item, index) => this.read(item, `${path}[${index}]`, depth + 1))
    const keys = new Map(items.map((item, index) => [String(index), samePosition(startOf(item))]))
    this.#positions.add(list, startOf(node), keys)
    return list
  }

  #map(
    items: readonly { key: unknown; value: unknown }[],
    node: unknown,
    path: string,
    depth: number,
  ): Record<string, unknown> {
    const map: Record<string, unknown> = Object.create(null) as Record<string, unknown>
    const keys = new Map<PropertyKey, { key: number; value: number }>()
    const mergedMaps: Record<string, unknown>[] = []
    for (const { key, value } of items) {
      const name = isScalar(key) ? String(key.value ?? '') : undefined
      if (name === undefined) {
        this.#problem('A key must be a text.', key, path)
        continue
      }
      const innerPath = path === '' ? name : `${path}.${name}`
      const inner = this.read(value, innerPath, depth + 1)
      if (name === '<<' && isScalar(key) && key.type === 'PLAIN') {
        for (const base of Array.isArray(inner) ? inner : [inner]) {
          if (typeof base === 'object' && base !== null) mergedMaps.push(base as Record<string, unknown>)
          else this.#problem('"<<" takes a map or a list of maps.', value, path)
        }
        continue
      }
      if (keys.has(name)) this.#problem(`The key "${name}" is here twice.`, key, innerPath)
      keys.set(name, { key: startOf(key), value: value === null ? startOf(key) : startOf(value) })
      map[name] = inner
    }
    for (const base of mergedMaps) for (const [name, value] of Object.entries(base)) map[name] ??= value
    this.#positions.add(map, startOf(node), keys)
    return map
  }

  #withAnchor(anchor: string | undefined, make: () => unknown): unknown {
    if (anchor === undefined) return make()
    this.#anchors.set(anchor, undefined)
    const before = this.#size
    const value = make()
    this.#anchors.set(anchor, { value, size: this.#size - before })
    return value
  }

  #alias(name: string, node: unknown, path: string): unknown {
    const anchor = this.#anchors.get(name)
    if (anchor) {
      this.#grow(anchor.size, node)
      return anchor.value
    }
    const message = this.#anchors.has(name)
      ? `The alias "*${name}" is inside its own anchor, so it would never end.`
      : `There is no anchor "&${name}" before the alias "*${name}".`
    this.#problem(message, node, path)
    return null
  }

  #grow(by: number, node: unknown): void {
    this.#size += by
    if (this.#size > MAX_VALUES)
      throw new LimitExceeded('The world is too large after its aliases are resolved.', startOf(node))
  }

  #problem(message: string, node: unknown, path: string): void {
    this.problems.push({ ...this.#positions.at(startOf(node)), path, message })
  }
}

const samePosition = (offset: number) => ({ key: offset, value: offset })

/**
 * Repeats the entries of lists that have `repeat`, and puts the number into their texts. Counts values, so that a small
 * text cannot become an endless world.
 */
export function expandRepeats(root: unknown, positions: Positions): { value: unknown; problems: Problem[] } {
  const problems: Problem[] = []
  let remaining = MAX_VALUES
  const walk = (value: unknown, numbers: number[]): unknown => {
    if (--remaining < 0) return null
    if (typeof value === 'string') return numbers.length === 0 ? value : fillNumbers(value, numbers.at(-1)!)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const list = value.flatMap((item: unknown) => entries(item, numbers))
      positions.copy(value, list)
      return list
    }
    const map: Record<string, unknown> = {}
    for (const [key, inner] of Object.entries(value)) {
      const name = numbers.length === 0 ? key : fillNumbers(key, numbers.at(-1)!)
      Object.defineProperty(map, name, {
        value: walk(inner, numbers),
        enumerable: true,
        writable: true,
        configurable: true,
      })
    }
    positions.copy(value, map)
    return map
  }
  const entries = (item: unknown, numbers: number[]): unknown[] => {
    if (typeof item !== 'object' || item === null || Array.isArray(item) || !('repeat' in item))
      return [walk(item, numbers)]
    const { repeat: times, ...rest } = item as { repeat: unknown }
    if (typeof times !== 'number' || !Number.isSafeInteger(times) || times < 1 || times > 10_000) {
      const at = positions.ofKey(item, 'repeat')
      problems.push({ ...at, path: 'repeat', message: 'repeat must be a whole number from 1 to 10000.' })
      return []
    }
    positions.copy(item, rest)
    const repeatedEntries: unknown[] = []
    for (let number = 1; number <= times && remaining > 0; number++)
      repeatedEntries.push(walk(rest, [...numbers, number]))
    return repeatedEntries
  }
  const value = walk(root, [])
  if (remaining < 0)
    problems.push({
      line: 1,
      column: 1,
      path: '',
      message: 'The world is too large after its entries are repeated.',
    })
  return { value, problems }
}

/** Replaces `{n}` by the number, `{n:3}` by the number with leading zeros, and `{n|a,b,c}` by an entry of the list. */
function fillNumbers(text: string, number: number): string {
  return text.replace(/\{n(?::(\d{1,2})|\|([^}]*))?\}/g, (_all, width?: string, list?: string) => {
    if (width !== undefined) return String(number).padStart(Number(width), '0')
    if (list === undefined) return String(number)
    const choices = list.split(',')
    return choices[(number - 1) % choices.length]!
  })
}
