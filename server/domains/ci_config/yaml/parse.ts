import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  type Document,
  type ErrorCode,
  type Node,
  type YAMLParseError,
} from 'yaml'

import {
  Float,
  Hash,
  Reference,
  isHash,
  isList,
  type SourceLocation,
  type Value,
  LoadError,
  Sources,
} from '../language/values.ts'

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

/** The maximum number of characters of one file before it is parsed. */
export function maxCharacters({ yamlBytes }: Limits): number {
  return Math.max(1_500_000, yamlBytes > LIMITS.yamlBytes ? yamlBytes : 0)
}

/** Throws LoadError for values beyond the limits (spec ci 4.1). Stops counting at the limit. */
export function checkSize(value: Value, { yamlBytes, yamlDepth }: Limits = LIMITS): void {
  let size = 0
  const walk = (entry: Value, depth: number): void => {
    if (depth > yamlDepth) throw new LoadError(TOO_BIG)
    size += 16 + (typeof entry === 'string' ? entry.length : 0)
    if (size > yamlBytes) throw new LoadError(TOO_BIG)
    if (isList(entry)) for (const item of entry) walk(item, depth + 1)
    else if (entry instanceof Reference) for (const part of entry.path) walk(part, depth + 1)
    else if (isHash(entry)) {
      for (const [key, item] of entry) {
        size += key.length
        walk(item, depth + 1)
      }
    }
  }
  walk(value, 0)
}

/** Like `checkSize`, for the whole configuration after files and bases are merged. */
export function checkMerged(value: Value, limits: Limits): void {
  checkSize(value, { ...limits, yamlBytes: 4 * Math.max(limits.yamlBytes, LIMITS.yamlBytes) })
}

/** Messages of the reference's parser; other problems keep the message of this parser. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'found character that cannot start any token while scanning for the next token',
  BAD_INDENT: 'did not find expected key while parsing a block mapping',
  MISSING_CHAR: 'could not find expected character while scanning',
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  MULTILINE_IMPLICIT_KEY: "could not find expected ':' while scanning a simple key",
  UNEXPECTED_TOKEN: 'did not find expected node content while parsing',
  BAD_DQ_ESCAPE: 'found unknown escape character while parsing a quoted scalar',
  BAD_ALIAS: 'did not find expected alphabetic or numeric character while scanning an anchor or alias',
}

/** A syntax error as the reference shows it: `(<unknown>): <problem> at line L column C`. */
function syntaxError(error: YAMLParseError, text: string, file: number): LoadError {
  // The parser ran out of stack.
  if (error.message.startsWith('Maximum call stack')) return new LoadError(TOO_BIG)
  const words = WORDS[error.code] ?? error.message.replace(/\n[\s\S]*$/, '')
  return problemAt(words, Math.min(error.pos[0], text.length), text, file)
}

/** Refuses control characters, which YAML does not allow. Throws LoadError. */
function checkCharacters(text: string, file: number): void {
  // eslint-disable-next-line no-control-regex
  const at = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/)
  if (at >= 0) throw problemAt('control characters are not allowed', at, text, file)
}

function problemAt(words: string, offset: number, text: string, file: number): LoadError {
  const sources = new Sources()
  const { line, column } = sources.problem('', { file: sources.add(null, text), offset })
  return new LoadError(`(<unknown>): ${words} at line ${line} column ${column}`, { file, offset })
}

/**
 * Reads a configuration: anchors and aliases shared, `<<` merged, `!reference` kept for later, every key with its
 * location. Returns null for a text without content. Throws LoadError (spec ci 4.1) for invalid YAML, for an unknown
 * anchor, and for a text that is too large or too deep.
 */
export function parseYaml(text: string, file: number, limits: Limits = LIMITS): Value {
  if (text.length > maxCharacters(limits)) throw new LoadError(TOO_BIG)
  checkCharacters(text, file)
  const document = contentOf(text)
  const [error] = document?.errors ?? []
  if (error) throw syntaxError(error, text, file)
  if (!document?.contents) return null
  try {
    const value = new Reader(file, limits.yamlDepth).read(document.contents as Node, 0)
    checkSize(value, limits)
    return value
  } catch (thrown) {
    throw thrown instanceof RangeError ? new LoadError(TOO_BIG) : thrown
  }
}

/** The document with the configuration: the first, or the one after a header (`spec:`). */
function contentOf(text: string): Document | undefined {
  let documents: ReturnType<typeof parseAllDocuments>
  try {
    documents = parseAllDocuments(text, {
      // `#scalar` resolves scalars; the parser's check for unique keys would take quadratic time.
      schema: 'failsafe',
      version: '1.1',
      uniqueKeys: false,
      prettyErrors: false,
      strict: false,
      keepSourceTokens: false,
    })
  } catch (error) {
    // The nesting is too deep for the parser.
    if (error instanceof RangeError) throw new LoadError(TOO_BIG)
    throw error
  }
  if (!Array.isArray(documents)) return undefined
  const [first, second] = documents as Document[]
  const hasHeader = second !== undefined && isMap(first?.contents) && first.contents.has('spec')
  return hasHeader ? second : first
}

class Reader {
  readonly #file: number
  readonly #anchors = new Map<string, Value | undefined>()

  /** Limit of the depth; aliases could nest a small text beyond the stack. */
  readonly #maxDepth: number

  constructor(file: number, depth: number) {
    this.#file = file
    this.#maxDepth = Math.min(2 * depth, 2000)
  }

  read(node: unknown, depth: number): Value {
    if (depth > this.#maxDepth) throw new LoadError(TOO_BIG)
    if (isAlias(node)) return this.#aliased(node.source, node.range?.[0])
    if (isScalar(node)) return this.#keep(node.anchor, scalarOf(node))
    if (isSeq(node)) {
      this.#begin(node.anchor)
      const items = node.items.map((item) => this.read(item, depth + 1))
      return this.#keep(node.anchor, node.tag === '!reference' ? new Reference(items) : items)
    }
    if (isMap(node)) {
      this.#begin(node.anchor)
      const hash = new Hash()
      for (const pair of node.items) this.#pair(hash, pair, depth)
      return this.#keep(node.anchor, hash)
    }
    return null
  }

  #pair(hash: Hash, pair: { key: unknown; value: unknown }, depth: number): void {
    const location = this.#locationOf(pair.key)
    const key = symbolOf(pair.key) ?? this.read(pair.key, depth + 1)
    const value = this.read(pair.value, depth + 1)
    if (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN') {
      for (const base of isList(value) ? value : [value]) this.#mergeUnder(hash, base, location)
    } else {
      const name = isHash(key) || isList(key) ? '' : String(key ?? '')
      // Own keys replace keys of `<<`; of two own keys the last counts.
      hash.put(name, value, location)
      if (typeof key !== 'string') hash.odd = new Set(hash.odd).add(name)
    }
  }

  #mergeUnder(hash: Hash, base: Value, location: SourceLocation | undefined): void {
    if (!isHash(base))
      throw new LoadError('(<unknown>): expected a mapping or list of mappings for merging', location)
    for (const [key, value] of base) if (!hash.has(key)) hash.put(key, value, base.locations.get(key))
  }

  #aliased(name: string, offset: number | undefined): Value {
    const anchor = this.#anchors.get(name)
    // An alias inside its own anchor has no value yet.
    if (anchor === undefined) throw new LoadError(`Unknown alias: ${name}`, this.#locationAt(offset))
    return anchor
  }

  #begin(anchor: string | undefined): void {
    if (anchor !== undefined) this.#anchors.set(anchor, undefined)
  }

  #keep(anchor: string | undefined, value: Value): Value {
    if (anchor !== undefined) this.#anchors.set(anchor, value)
    return value
  }

  #locationOf(node: unknown): SourceLocation | undefined {
    return this.#locationAt((node as { range?: [number, number, number] } | null)?.range?.[0])
  }

  #locationAt(offset: number | undefined): SourceLocation | undefined {
    return offset === undefined ? undefined : { file: this.#file, offset }
  }
}

/** `:script` is the same key as `script`: the reference's loader turns all keys into symbols. */
function symbolOf(node: unknown): string | undefined {
  if (!isScalar(node) || node.type !== 'PLAIN' || typeof node.value !== 'string') return undefined
  const [, name] = /^:(.+)$/.exec(node.value) ?? []
  return name?.replace(/^(["'])(.*)\1$/, '$2')
}

function scalarOf(node: { value: unknown; type?: string; tag?: string }): Value {
  const text = typeof node.value === 'string' ? node.value : ''
  if (node.tag === 'tag:yaml.org,2002:str') return text
  if (node.tag?.startsWith('tag:yaml.org,2002:')) return tagged(node.tag.slice(18), text)
  if (node.tag?.startsWith('!') && node.tag !== '!') return text
  return node.type === 'PLAIN' ? plainScalar(text) : text
}

function tagged(tag: string, text: string): Value {
  if (tag === 'float') return new Float(Number(text))
  return tag === 'int' || tag === 'bool' || tag === 'null' ? plainScalar(text) : text
}

const INTEGER = /^[-+]?(?:0|[1-9](?:[0-9]|,[0-9]|_[0-9])*)$/
const OCTAL = /^[-+]?0[0-7_,]+$/
const HEX = /^[-+]?0x[0-9a-fA-F_,]+$/
const BINARY = /^[-+]?0b[01_,]+$/
const FLOAT =
  /^[-+]?(?:[0-9][0-9_,]*)?\.[0-9]+(?:[eE][-+]?[0-9]+)?$|^[-+]?[0-9][0-9_,]*(?:\.[0-9]*)?[eE][-+]?[0-9]+$|^[-+]?[0-9][0-9_,]*\.$/
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9]){1,2}$/

/**
 * The value of a plain scalar in YAML 1.1 as the reference's loader reads it: `yes` and `on` are true, `0644` is octal,
 * `1:30` is sexagesimal; `y`, `n` and dates are text.
 */
export function plainScalar(text: string): Value {
  if (text === '' || text === '~' || /^null$/i.test(text)) return null
  const first = text.charCodeAt(0)
  // Most scalars are words and paths; only texts that start like a number are read as one.
  if ((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46) return numberOf(text)
  if (text.length <= 5) {
    if (/^(?:yes|true|on)$/i.test(text)) return true
    if (/^(?:no|false|off)$/i.test(text)) return false
  }
  return text
}

function numberOf(text: string): Value {
  // Longer texts are not meant as numbers, and would cost time.
  if (text.length > 60) return text
  if (INTEGER.test(text)) return whole(text.replaceAll(/[,_]/g, ''), '')
  if (OCTAL.test(text)) return whole(text.replaceAll(/[,_]/g, ''), '0o')
  if (HEX.test(text)) return whole(text.replaceAll(/[,_]|0x/g, ''), '0x')
  if (BINARY.test(text)) return whole(text.replaceAll(/[,_]|0b/g, ''), '0b')
  if (FLOAT.test(text)) return new Float(Number(text.replaceAll(/[,_]/g, '')))
  if (/^[-+]?\.inf$/i.test(text)) return new Float(text.startsWith('-') ? -Infinity : Infinity)
  if (/^\.nan$/i.test(text)) return new Float(NaN)
  return SEXAGESIMAL.test(text) ? sixties(text) : text
}

function whole(digits: string, prefix: string): number | bigint {
  const sign = digits.startsWith('-') ? -1 : 1
  const exact = BigInt(prefix + digits.replace(/^[-+]/, '').replace(/^0+(?=.)/, ''))
  return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) * sign : exact * BigInt(sign)
}

function sixties(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const parts = text.replace(/^[-+]/, '').replaceAll('_', '').split(':')
  return sign * parts.reduce((sum, part) => sum * 60 + Number(part), 0)
}
