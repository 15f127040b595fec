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

/** The contract's message for a configuration that is too large or too deep. */
export const TOO_BIG = 'The parsed YAML is too big'

/** The limits of the size of configurations (settings `max_yaml_*`, `ci_max_*`). */
export interface Limits {
  /** Size in bytes of the parsed values of a file. An aliased value counts each time that it is used. */
  readonly yamlBytes: number
  /** Depth of nested lists and mappings. */
  readonly yamlDepth: number
  /** Number of included files. A file that is included twice counts twice. */
  readonly includes: number
  /** Number of characters of all files together. 0 means no limit. */
  readonly totalBytes: number
}

/** The default limits. */
export const LIMITS: Limits = {
  yamlBytes: 2 * 1024 * 1024,
  yamlDepth: 100,
  includes: 150,
  totalBytes: 300 * 1024 * 1024,
}

/** The maximum number of characters of a file. Longer files are not parsed. */
export function maxCharacters({ yamlBytes }: Limits): number {
  return Math.max(1_500_000, yamlBytes > LIMITS.yamlBytes ? yamlBytes : 0)
}

/** Throws LoadError for values beyond the limits (spec ci 4.1). */
export function checkSize(value: Value, { yamlBytes, yamlDepth }: Limits = LIMITS): void {
  let size = 0
  const walk = (entry: Value, depth: number): void => {
    if (depth > yamlDepth) throw new LoadError(TOO_BIG)
    size += 16 + (typeof entry === 'string' ? entry.length : 0)
    if (size > yamlBytes) throw new LoadError(TOO_BIG)
    if (isList(entry)) for (const item of entry) walk(item, depth + 1)
    else if (entry instanceof Reference) for (const segment of entry.path) walk(segment, depth + 1)
    else if (isHash(entry)) {
      for (const [key, item] of entry) {
        size += key.length
        walk(item, depth + 1)
      }
    }
  }
  walk(value, 0)
}

/** Checks the size of the whole configuration, after includes and `extends` have been merged. */
export function checkMerged(value: Value, limits: Limits): void {
  checkSize(value, { ...limits, yamlBytes: 4 * Math.max(limits.yamlBytes, LIMITS.yamlBytes) })
}

/** The contract's messages by error code. Errors with another code keep the message of this parser. */
const MESSAGES: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'found character that cannot start any token while scanning for the next token',
  BAD_INDENT: 'did not find expected key while parsing a block mapping',
  MISSING_CHAR: 'could not find expected character while scanning',
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  MULTILINE_IMPLICIT_KEY: "could not find expected ':' while scanning a simple key",
  UNEXPECTED_TOKEN: 'did not find expected node content while parsing',
  BAD_DQ_ESCAPE: 'found unknown escape character while parsing a quoted scalar',
  BAD_ALIAS: 'did not find expected alphabetic or numeric character while scanning an anchor or alias',
}

/** A syntax error in the form of the contract: `(<unknown>): <message> at line L column C`. */
function syntaxError(error: YAMLParseError, text: string, file: number): LoadError {
  // The nesting is too deep for the parser's stack.
  if (error.message.startsWith('Maximum call stack')) return new LoadError(TOO_BIG)
  const message = MESSAGES[error.code] ?? error.message.replace(/\n[\s\S]*$/, '')
  return errorAt(message, Math.min(error.pos[0], text.length), text, file)
}

/** Refuses control characters, which YAML does not allow. Throws LoadError. */
function checkCharacters(text: string, file: number): void {
  // eslint-disable-next-line no-control-regex
  const offset = text.search(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/)
  if (offset >= 0) throw errorAt('control characters are not allowed', offset, text, file)
}

function errorAt(message: string, offset: number, text: string, file: number): LoadError {
  const sources = new Sources()
  const { line, column } = sources.problem('', { file: sources.add(null, text), offset })
  return new LoadError(`(<unknown>): ${message} at line ${line} column ${column}`, { file, offset })
}

/**
 * Parses a configuration, with the location of every key. Aliases share the value of their anchor, `<<` is merged, and a
 * `!reference` is resolved later. Returns null for a text without content. Throws LoadError (spec ci 4.1) for invalid
 * YAML, for an unknown anchor, and for a text that is too large or too deep.
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
  } catch (caught) {
    throw caught instanceof RangeError ? new LoadError(TOO_BIG) : caught
  }
}

/** The document with the configuration: the first one, or the second one if the first is a header (`spec:`). */
function contentOf(text: string): Document | undefined {
  let documents: ReturnType<typeof parseAllDocuments>
  try {
    documents = parseAllDocuments(text, {
      // `scalarOf` resolves scalars. The parser's check for unique keys would take quadratic time.
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
  /** The maximum depth. Aliases could nest the values of a small text too deep for the stack. */
  readonly #maxDepth: number

  constructor(file: number, depth: number) {
    this.#file = file
    this.#maxDepth = Math.min(2 * depth, 2000)
  }

  read(node: unknown, depth: number): Value {
    if (depth > this.#maxDepth) throw new LoadError(TOO_BIG)
    if (isAlias(node)) return this.#aliasValue(node.source, node.range?.[0])
    if (isScalar(node)) return this.#storeAnchor(node.anchor, scalarOf(node))
    if (isSeq(node)) {
      this.#openAnchor(node.anchor)
      const items = node.items.map((item) => this.read(item, depth + 1))
      return this.#storeAnchor(node.anchor, node.tag === '!reference' ? new Reference(items) : items)
    }
    if (isMap(node)) {
      this.#openAnchor(node.anchor)
      const hash = new Hash()
      for (const pair of node.items) this.#readPair(hash, pair, depth)
      return this.#storeAnchor(node.anchor, hash)
    }
    return null
  }

  #readPair(hash: Hash, pair: { key: unknown; value: unknown }, depth: number): void {
    const location = this.#locationOf(pair.key)
    const key = symbolOf(pair.key) ?? this.read(pair.key, depth + 1)
    const value = this.read(pair.value, depth + 1)
    if (key === '<<' && isScalar(pair.key) && pair.key.type === 'PLAIN') {
      for (const base of isList(value) ? value : [value]) this.#mergeDefaults(hash, base, location)
    } else {
      const name = isHash(key) || isList(key) ? '' : String(key ?? '')
      // The mapping's own keys replace keys of `<<`. Of two equal keys the last one is used.
      hash.put(name, value, location)
      if (typeof key !== 'string') hash.nonTextKeys = new Set(hash.nonTextKeys).add(name)
    }
  }

  #mergeDefaults(hash: Hash, base: Value, location: SourceLocation | undefined): void {
    if (!isHash(base))
      throw new LoadError('(<unknown>): expected a mapping or list of mappings for merging', location)
    for (const [key, value] of base) if (!hash.has(key)) hash.put(key, value, base.locations.get(key))
  }

  #aliasValue(name: string, offset: number | undefined): Value {
    const anchor = this.#anchors.get(name)
    // An alias within its own anchor has no value yet, so it is unknown.
    if (anchor === undefined) throw new LoadError(`Unknown alias: ${name}`, this.#locationAt(offset))
    return anchor
  }

  #openAnchor(anchor: string | undefined): void {
    if (anchor !== undefined) this.#anchors.set(anchor, undefined)
  }

  #storeAnchor(anchor: string | undefined, value: Value): Value {
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

/** The name of a Ruby symbol: `:script` is the same key as `script`. Undefined for any other node. */
function symbolOf(node: unknown): string | undefined {
  if (!isScalar(node) || node.type !== 'PLAIN' || typeof node.value !== 'string') return undefined
  const [, name] = /^:(.+)$/.exec(node.value) ?? []
  return name?.replace(/^(["'])(.*)\1$/, '$2')
}

function scalarOf(node: { value: unknown; type?: string; tag?: string }): Value {
  const text = typeof node.value === 'string' ? node.value : ''
  if (node.tag === 'tag:yaml.org,2002:str') return text
  if (node.tag?.startsWith('tag:yaml.org,2002:')) return taggedValue(node.tag.slice(18), text)
  if (node.tag?.startsWith('!') && node.tag !== '!') return text
  return node.type === 'PLAIN' ? plainScalar(text) : text
}

function taggedValue(tag: string, text: string): Value {
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
 * The value of a plain scalar in YAML 1.1, as Ruby's loader reads it: `yes` and `on` are true, `0644` is octal, `1:30`
 * is sexagesimal, but `y`, `n` and dates are texts.
 */
export function plainScalar(text: string): Value {
  if (text === '' || text === '~' || /^null$/i.test(text)) return null
  const first = text.charCodeAt(0)
  // Most scalars are words and paths, so only texts that begin like a number are parsed as one.
  if ((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46) return numberOf(text)
  if (text.length <= 5) {
    if (/^(?:yes|true|on)$/i.test(text)) return true
    if (/^(?:no|false|off)$/i.test(text)) return false
  }
  return text
}

function numberOf(text: string): Value {
  // A longer text is not meant as a number, and parsing it would take time.
  if (text.length > 60) return text
  if (INTEGER.test(text)) return integerOf(text.replaceAll(/[,_]/g, ''), '')
  if (OCTAL.test(text)) return integerOf(text.replaceAll(/[,_]/g, ''), '0o')
  if (HEX.test(text)) return integerOf(text.replaceAll(/[,_]|0x/g, ''), '0x')
  if (BINARY.test(text)) return integerOf(text.replaceAll(/[,_]|0b/g, ''), '0b')
  if (FLOAT.test(text)) return new Float(Number(text.replaceAll(/[,_]/g, '')))
  if (/^[-+]?\.inf$/i.test(text)) return new Float(text.startsWith('-') ? -Infinity : Infinity)
  if (/^\.nan$/i.test(text)) return new Float(NaN)
  return SEXAGESIMAL.test(text) ? sexagesimal(text) : text
}

function integerOf(digits: string, prefix: string): number | bigint {
  const sign = digits.startsWith('-') ? -1 : 1
  const exact = BigInt(prefix + digits.replace(/^[-+]/, '').replace(/^0+(?=.)/, ''))
  return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) * sign : exact * BigInt(sign)
}

function sexagesimal(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1
  const digits = text.replace(/^[-+]/, '').replaceAll('_', '').split(':')
  return sign * digits.reduce((sum, digit) => sum * 60 + Number(digit), 0)
}
