import type { Endpoint } from './endpoint.ts'

/** A found endpoint with its decoded path values, or the methods that the path allows. */
export type Match =
  | { readonly endpoint: Endpoint; readonly values: Readonly<Record<string, string>> }
  | { readonly allowed: readonly string[] }

interface Hit {
  readonly endpoint: Endpoint
  readonly names: readonly string[]
}

/** The state of one look-up. */
interface Search {
  readonly method: string
  readonly segments: readonly string[]
  readonly values: string[]
  /** Methods of matching paths that lack the requested one. */
  readonly allowed: Set<string>
}

interface Node {
  readonly fixed: Map<string, Node>
  param: Node | undefined
  /** A parameter that may be several segments. */
  span: Node | undefined
  /** Segments with fixed text around a parameter, `archive.:format`. */
  readonly partial: { prefix: string; node: Node }[]
  readonly endpoints: Map<string, Hit>
}

function emptyNode(): Node {
  return { fixed: new Map(), param: undefined, span: undefined, partial: [], endpoints: new Map() }
}

/**
 * Finds the endpoint of a path. It works on the encoded path, so `group%2Fproject` and `dir%2Ffile.rb` are one segment;
 * values are decoded afterwards. Fixed segments take precedence over parameters if both have the method.
 */
export class RouteTable {
  readonly #root = emptyNode()
  readonly endpoints: readonly Endpoint[]

  /** Throws when two endpoints have the same method and shape of path. */
  constructor(endpoints: readonly Endpoint[]) {
    this.endpoints = endpoints
    for (const endpoint of endpoints) this.#add(endpoint)
  }

  /** `undefined` when no endpoint has such a path at all. */
  find(method: string, rawPath: string): Match | undefined {
    const search: Search = { method, segments: rawPath.split('/').slice(1), values: [], allowed: new Set() }
    const hit = this.#walk(this.#root, search, 0)
    if (!hit) return search.allowed.size > 0 ? { allowed: ['OPTIONS', ...search.allowed].sort() } : undefined
    const params: Record<string, string> = {}
    for (const [index, name] of hit.names.entries()) {
      const value = decodeSegment(search.values[index]!)
      if (value === undefined) return undefined
      params[name] = value
    }
    return { endpoint: hit.endpoint, values: params }
  }

  #add(endpoint: Endpoint): void {
    let node = this.#root
    const names: string[] = []
    for (const segment of endpoint.path.split('/').slice(1)) {
      const colon = segment.indexOf(':')
      if (colon < 0) {
        const next = node.fixed.get(segment) ?? emptyNode()
        node.fixed.set(segment, next)
        node = next
        continue
      }
      names.push(segment.slice(colon + 1))
      if (colon === 0 && endpoint.spans.includes(segment.slice(1))) {
        node = node.span ??= emptyNode()
        continue
      }
      if (colon === 0) {
        node.param ??= emptyNode()
        node = node.param
        continue
      }
      const prefix = segment.slice(0, colon)
      const existing = node.partial.find((entry) => entry.prefix === prefix)
      const next = existing?.node ?? emptyNode()
      if (!existing) node.partial.push({ prefix, node: next })
      node = next
    }
    if (node.endpoints.has(endpoint.method)) throw new Error(`Two endpoints answer ${endpoint.route}.`)
    node.endpoints.set(endpoint.method, { endpoint, names })
  }

  /** Continues when a path lacks the method: `wikis/attachments` may still match `wikis/:slug`. */
  #walk(node: Node, search: Search, index: number): Hit | undefined {
    const { segments, method } = search
    if (index === segments.length) {
      const hit = node.endpoints.get(method) ?? (method === 'HEAD' ? node.endpoints.get('GET') : undefined)
      if (!hit) for (const other of allowedMethods(node)) search.allowed.add(other)
      return hit
    }
    const segment = segments[index]!
    const fixed = node.fixed.get(segment)
    const direct = fixed && this.#walk(fixed, search, index + 1)
    if (direct) return direct
    for (const { prefix, node: next } of node.partial) {
      if (!segment.startsWith(prefix) || segment.length === prefix.length) continue
      const hit = this.#bind(next, search, index, segment.slice(prefix.length))
      if (hit) return hit
    }
    if (segment === '') return undefined
    const hit = node.param && this.#bind(node.param, search, index, segment)
    return hit ?? (node.span && this.#stretch(node.span, search, index))
  }

  /** Binds a parameter of several segments: as few as possible, or all when nothing follows. */
  #stretch(node: Node, search: Search, index: number): Hit | undefined {
    const { segments } = search
    const isLast = node.fixed.size === 0 && !node.param && !node.span && node.partial.length === 0
    for (let end = isLast ? segments.length : index + 1; end <= segments.length; end++) {
      const hit = this.#bind(node, search, index, segments.slice(index, end).join('/'), end)
      if (hit) return hit
    }
    return undefined
  }

  #bind(node: Node, search: Search, index: number, value: string, end = index + 1): Hit | undefined {
    search.values.push(value)
    const hit = this.#walk(node, search, end)
    if (!hit) search.values.pop()
    return hit
  }
}

function allowedMethods(node: Node): string[] {
  const methods = [...node.endpoints.keys()]
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods
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
