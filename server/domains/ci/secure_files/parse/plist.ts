/** A value of a property list. */
export type PlistValue =
  | string
  | number
  | boolean
  | Date
  | Buffer
  | readonly PlistValue[]
  | { readonly [key: string]: PlistValue }

interface Open {
  readonly items: PlistValue[]
  readonly keys: string[] | undefined
}

const MAX_DEPTH = 64
/** A tag with the text before it; declarations and comments are tags without meaning. */
const TOKEN = /([^<]*)<(?:!--[\s\S]*?--|\?[^>]*\?|![^>]*|(\/?)(\w+)([^>]*?)(\/?))>/y

/**
 * Reads a property list in XML: dictionaries, arrays, texts, numbers, dates, data and booleans. Entities beyond the five
 * of XML are not looked up, nothing is loaded, and the time is linear. Throws for anything else.
 */
export function parsePlist(source: string): PlistValue {
  const open: Open[] = []
  const top: Open = { items: [], keys: undefined }
  let leaf: string | undefined
  const token = new RegExp(TOKEN)
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [, text = '', slash, name, , empty] = match
    if (name === undefined || name === 'plist') continue
    const current = open.at(-1) ?? top
    if (slash) {
      if (name === leaf) add(current, name, unescape(text))
      else if (open.length > 0 && name === (current.keys ? 'dict' : 'array'))
        add(close(open, top), '', current)
      else throw new TypeError('Not a property list.')
      leaf = undefined
    } else if (leaf !== undefined) throw new TypeError('Not a property list.')
    else if (name === 'dict' || name === 'array') {
      const opened: Open = { items: [], keys: name === 'dict' ? [] : undefined }
      if (empty) add(current, '', opened)
      else if (open.push(opened) > MAX_DEPTH) throw new TypeError('Nested too deeply.')
    } else if (empty) add(current, name, '')
    else leaf = name
  }
  if (open.length > 0 || leaf !== undefined || top.items.length !== 1)
    throw new TypeError('Not a property list.')
  return top.items[0]!
}

function close(open: Open[], top: Open): Open {
  open.pop()
  return open.at(-1) ?? top
}

function add(to: Open, name: string, value: string | Open): void {
  if (name === 'key') {
    if (to.keys?.length !== to.items.length) throw new TypeError('A key without a value.')
    to.keys.push(value as string)
    return
  }
  if (to.keys && to.keys.length !== to.items.length + 1) throw new TypeError('A value without a key.')
  to.items.push(typeof value === 'string' ? leafOf(name, value) : valueOf(value))
}

function valueOf({ items, keys }: Open): PlistValue {
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
