/** A value of a property list. */
export type PlistValue =
  | string
  | number
  | boolean
  | Date
  | Buffer
  | readonly PlistValue[]
  | { readonly [key: string]: PlistValue }

/** A dictionary or array while it is read. An array has no keys. */
interface Collection {
  readonly items: PlistValue[]
  readonly keys: string[] | undefined
}

const MAX_DEPTH = 64
/** A tag with the text before it. Declarations and comments match as tags without a name. */
const TOKEN = /([^<]*)<(?:!--[\s\S]*?--|\?[^>]*\?|![^>]*|(\/?)(\w+)([^>]*?)(\/?))>/y

/**
 * Parses a property list in XML: dictionaries, arrays, texts, numbers, dates, data and booleans. It knows only the five
 * predefined entities of XML, loads nothing, and takes linear time. Throws for anything else.
 */
export function parsePlist(source: string): PlistValue {
  const stack: Collection[] = []
  const root: Collection = { items: [], keys: undefined }
  /** The name of the open element with text. */
  let leaf: string | undefined
  const token = new RegExp(TOKEN)
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [, text = '', slash, name, , empty] = match
    if (name === undefined || name === 'plist') continue
    const current = stack.at(-1) ?? root
    if (slash) {
      if (name === leaf) add(current, name, unescape(text))
      else if (stack.length > 0 && name === (current.keys ? 'dict' : 'array'))
        add(popParent(stack, root), '', current)
      else throw new TypeError('Not a property list.')
      leaf = undefined
    } else if (leaf !== undefined) throw new TypeError('Not a property list.')
    else if (name === 'dict' || name === 'array') {
      const collection: Collection = { items: [], keys: name === 'dict' ? [] : undefined }
      if (empty) add(current, '', collection)
      else if (stack.push(collection) > MAX_DEPTH) throw new TypeError('Nested too deeply.')
    } else if (empty) add(current, name, '')
    else leaf = name
  }
  if (stack.length > 0 || leaf !== undefined || root.items.length !== 1)
    throw new TypeError('Not a property list.')
  return root.items[0]!
}

/** Ends the innermost collection, and returns the one that contains it. */
function popParent(stack: Collection[], root: Collection): Collection {
  stack.pop()
  return stack.at(-1) ?? root
}

function add(target: Collection, name: string, value: string | Collection): void {
  if (name === 'key') {
    if (target.keys?.length !== target.items.length) throw new TypeError('A key without a value.')
    target.keys.push(value as string)
    return
  }
  if (target.keys && target.keys.length !== target.items.length + 1)
    throw new TypeError('A value without a key.')
  target.items.push(typeof value === 'string' ? leafOf(name, value) : valueOf(value))
}

function valueOf({ items, keys }: Collection): PlistValue {
  if (!keys) return items
  if (keys.length !== items.length) throw new TypeError('A key without a value.')
  return Object.fromEntries(keys.map((key, index) => [key, items[index]!]))
}

function leafOf(name: string, text: string): PlistValue {
  switch (name) {
    case 'string':
      return text
    case 'true':
    case 'false':
      return name === 'true'
    case 'integer':
    case 'real': {
      const number = Number(text)
      if (!Number.isFinite(number)) throw new TypeError('Not a number.')
      return number
    }
    case 'date': {
      const date = new Date(text.trim())
      if (Number.isNaN(date.getTime())) throw new TypeError('Not a date.')
      return date
    }
    case 'data':
      return Buffer.from(text, 'base64')
    default:
      throw new TypeError('Not a property list.')
  }
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

function unescape(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|(\w{1,8}));/g, (match, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name as string] ?? match
    const code = decimal === undefined ? Number.parseInt(hex as string, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}
