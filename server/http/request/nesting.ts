import type { Context } from 'koa'

import { fail } from '../../lib/fail.ts'

/** Nested parameters before their types are checked: texts, uploaded files, lists and hashes. */
export type Nested = { [key: string]: unknown }

const MAX_DEPTH = 32
const MAX_PARAMETERS = 4096

/** Hashes have no prototype, so a parameter called `__proto__` is harmless. */
function emptyHash(): Nested {
  return Object.create(null) as Nested
}

function isHash(value: unknown): value is Nested {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null
}

/** Splits a name: `a[b][][c]` → `['a', 'b', '', 'c']`. A name without well-formed brackets is one key. */
function keysOf(name: string): string[] {
  const head = /^[^[]+/.exec(name)?.[0]
  if (head === undefined) return [name]
  const tail = name.slice(head.length)
  if (!/^(\[[^[\]]*\])*$/.test(tail)) return [name]
  return [head, ...[...tail.matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1]!)]
}

/** Sets one value. A repeated key inside `x[][key]` starts the next item, as in GitLab's API. */
function assign(target: Nested, path: readonly string[], value: unknown, name: string): void {
  const [key, next, ...rest] = path as [string, ...string[]]
  if (next === undefined) {
    target[key] = value
    return
  }
  if (next !== '') {
    target[key] ??= emptyHash()
    const inner = target[key]
    if (!isHash(inner)) throw fail('parameter', `${name} is invalid`)
    assign(inner, [next, ...rest], value, name)
    return
  }
  target[key] ??= []
  const items = target[key]
  if (!Array.isArray(items)) throw fail('parameter', `${name} is invalid`)
  if (rest.length === 0) {
    items.push(value)
    return
  }
  const last: unknown = items.at(-1)
  const item = isHash(last) && !hasValueAt(last, rest) ? last : emptyHash()
  if (item !== last) items.push(item)
  assign(item, rest, value, name)
}

/** True when `item` already has a value at `path`, so that the next value belongs to a new item. */
function hasValueAt(item: Nested, path: readonly string[]): boolean {
  const [key, next, ...rest] = path as [string, ...string[]]
  if (!(key in item)) return false
  if (next === undefined) return true
  if (next === '') return false
  const inner = item[key]
  return isHash(inner) && hasValueAt(inner, [next, ...rest])
}

/** Nests flat pairs by the API's rules (spec core 8.7). Throws 400 for contradictory or too deeply nested names. */
export function nest(pairs: Iterable<readonly [string, unknown]>): Nested {
  const result = emptyHash()
  let count = 0
  for (const [name, value] of pairs) {
    if (++count > MAX_PARAMETERS)
      throw fail('parameter', `more than ${MAX_PARAMETERS} parameters are not accepted`)
    if (name === '') continue
    if (!name.includes('[')) {
      result[name] = value
      continue
    }
    const path = keysOf(name)
    if (path.length > MAX_DEPTH) throw fail('parameter', `${path[0]} is nested too deeply`)
    assign(result, path, value, path[0]!)
  }
  return result
}

function decode(part: string): string {
  if (!/[%+]/.test(part)) return part
  try {
    return decodeURIComponent(part.replaceAll('+', ' '))
  } catch {
    throw fail('parameter', 'a parameter is not valid percent-encoded UTF-8')
  }
}

/** Parses `a=1&b[]=2` (query string or form body). `+` is a space, `%2B` a plus sign. */
export function parseForm(source: string): Nested {
  if (source === '') return emptyHash()
  const pairs = source.split('&').filter((pair) => pair !== '')
  return nest(
    pairs.map((pair) => {
      const equals = pair.indexOf('=')
      return equals < 0
        ? [decode(pair), null]
        : [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]
    }),
  )
}

/** The parameters of the query of a request. They are parsed once per request; callers must not change them. */
export function queryOf(ctx: Context): Readonly<Nested> {
  return (ctx.state['query'] ??= parseForm(ctx.querystring)) as Readonly<Nested>
}

/** The query of a request merged with its body; the body takes precedence (spec core 8.7). */
export function merge(query: Nested, body: Nested): Nested {
  return Object.assign(emptyHash(), query, body)
}
