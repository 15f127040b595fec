import type { Endpoint } from './endpoint.ts'

/** A found endpoint with its decoded path values, or the methods that the path does have. */
export type Match =
  | { readonly endpoint: Endpoint; readonly values: Readonly<Record<string, string>> }
  | { readonly allowed: readonly string[] }

interface Node {
  readonly fixed: Map<string, Node>
  param: Node | undefined
  /** Segments with fixed text around a parameter, `archive.:format`. */
  readonly partial: { prefix: string; node: Node }[]
  readonly endpoints: Map<string, { endpoint: Endpoint; names: readonly string[] }>
}

function emptyNode(): Node {
  return { fixed: new Map(), param: undefined, partial: [], endpoints: new Map() }
}

/**
 * Finds the endpoint for a path. Works on the raw, still encoded path, so that `group%2Fproject` and `dir%2Ffile.rb`
 * stay one segment; values are decoded once, afterwards. Fixed segments win over parameters.
 */
export class RouteTable {
  readonly #root = emptyNode()
  readonly endpoints: readonly Endpoint[]

  /** Throws when two endpoints have the same method and shape of path. */
  constructor(endpoints: readonly Endpoint[]) {
    this.endpoints = endpoints
    for (const one of endpoints) this.#add(one)
  }

  /** `undefined` when no endpoint has such a path at all. */
  find(method: string, rawPath: string): Match | undefined {
    const segments = rawPath.split('/').slice(1)
    const values: string[] = []
    const node = this.#walk(this.#root, segments, 0, values)
    if (!node) return undefined
    const hit = node.endpoints.get(method) ?? (method === 'HEAD' ? node.endpoints.get('GET') : undefined)
    if (!hit) return { allowed: allowedMethods(node) }
    const named: Record<string, string> = {}
    for (const [index, name] of hit.names.entries()) {
      const value = decodeSegment(values[index]!)
      if (value === undefined) return undefined
      named[name] = value
    }
    return { endpoint: hit.endpoint, values: named }
  }

  #add(one: Endpoint): void {
    let node = this.#root
    const names: string[] = []
    for (const segment of one.path.split('/').slice(1)) {
      const colon = segment.indexOf(':')
      if (colon < 0) {
        const next = node.fixed.get(segment) ?? emptyNode()
        node.fixed.set(segment, next)
        node = next
        continue
      }
      names.push(segment.slice(colon + 1))
      if (colon === 0) {
        node.param ??= emptyNode()
        node = node.param
        continue
      }
      const prefix = segment.slice(0, colon)
      const known = node.partial.find((entry) => entry.prefix === prefix)
      const next = known?.node ?? emptyNode()
      if (!known) node.partial.push({ prefix, node: next })
      node = next
    }
    if (node.endpoints.has(one.method)) throw new Error(`Two endpoints answer ${one.route}.`)
    node.endpoints.set(one.method, { endpoint: one, names })
  }

  #walk(node: Node, segments: readonly string[], index: number, values: string[]): Node | undefined {
    if (index === segments.length) return node.endpoints.size > 0 ? node : undefined
    const segment = segments[index]!
    const fixed = node.fixed.get(segment)
    const direct = fixed && this.#walk(fixed, segments, index + 1, values)
    if (direct) return direct
    for (const { prefix, node: next } of node.partial) {
      if (!segment.startsWith(prefix) || segment.length === prefix.length) continue
      const found = this.#bind(next, segments, index, values, segment.slice(prefix.length))
      if (found) return found
    }
    if (!node.param || segment === '') return undefined
    return this.#bind(node.param, segments, index, values, segment)
  }

  #bind(
    node: Node,
    segments: readonly string[],
    index: number,
    values: string[],
    value: string,
  ): Node | undefined {
    values.push(value)
    const found = this.#walk(node, segments, index + 1, values)
    if (!found) values.pop()
    return found
  }
}

function allowedMethods(node: Node): string[] {
  const methods = new Set(node.endpoints.keys())
  if (methods.has('GET')) methods.add('HEAD')
  return ['OPTIONS', ...methods].sort()
}

/** Undefined for broken percent-encoding and for NUL, which no name contains. */
function decodeSegment(raw: string): string | undefined {
  if (!raw.includes('%')) return raw
  try {
    const value = decodeURIComponent(raw)
    return value.includes('\0') ? undefined : value
  } catch {
    return undefined
  }
}
