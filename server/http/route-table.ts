import type { Endpoint, Method, Route } from './endpoint.ts'

/** What the table reads of an endpoint. */
type Routed = Pick<Endpoint, 'method' | 'path' | 'route' | 'slashParams'>

/** The endpoint of a request with its decoded path parameters, or the methods that the path allows. */
export type Match<E extends Routed> =
  | { readonly endpoint: E; readonly values: Readonly<Record<string, string>> }
  | { readonly allowed: readonly string[] }

/** An endpoint with the names of its path parameters. */
interface Entry<E> {
  readonly endpoint: E
  readonly names: readonly string[]
}

/** The state of one look-up. */
interface Search {
  readonly method: string
  readonly segments: readonly string[]
  readonly values: string[]
  /** The methods of matching paths without the requested method. */
  readonly allowed: Set<string>
}

interface Node<E> {
  readonly fixed: Map<string, Node<E>>
  param: Node<E> | undefined
  /** A parameter that may consist of several segments. */
  span: Node<E> | undefined
  /** Segments with fixed text before a parameter, such as `archive.:format`. */
  readonly partial: { prefix: string; node: Node<E> }[]
  readonly endpoints: Map<string, Entry<E>>
}

function emptyNode<E>(): Node<E> {
  return { fixed: new Map(), param: undefined, span: undefined, partial: [], endpoints: new Map() }
}

/**
 * Finds the endpoint of a path. It matches the encoded path, so `group%2Fproject` and `dir%2Ffile.rb` are one segment,
 * and decodes the parameters afterwards. Fixed segments take precedence over parameters if both have the method.
 */
export class RouteTable<E extends Routed = Endpoint> {
  readonly #root = emptyNode<E>()

  /** Throws when two endpoints match the same method and paths. */
  constructor(endpoints: readonly E[]) {
    for (const endpoint of endpoints) this.#add(endpoint)
  }

  /** Finds the endpoint of a request; undefined when no endpoint matches the path. */
  find(method: string, rawPath: string): Match<E> | undefined {
    const search: Search = { method, segments: rawPath.split('/').slice(1), values: [], allowed: new Set() }
    const route = this.#walk(this.#root, search, 0)
    if (!route)
      return search.allowed.size > 0 ? { allowed: ['OPTIONS', ...search.allowed].sort() } : undefined
    const params: Record<string, string> = {}
    for (const [index, name] of route.names.entries()) {
      const value = decodeSegment(search.values[index]!)
      if (value === undefined) return undefined
      params[name] = value
    }
    return { endpoint: route.endpoint, values: params }
  }

  #add(endpoint: E): void {
    let node = this.#root
    const names: string[] = []
    for (const segment of endpoint.path.split('/').slice(1)) {
      const colon = segment.indexOf(':')
      if (colon < 0) {
        const next = node.fixed.get(segment) ?? emptyNode<E>()
        node.fixed.set(segment, next)
        node = next
        continue
      }
      names.push(segment.slice(colon + 1))
      if (colon === 0 && endpoint.slashParams.includes(segment.slice(1))) {
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
      const next = existing?.node ?? emptyNode<E>()
      if (!existing) node.partial.push({ prefix, node: next })
      node = next
    }
    if (node.endpoints.has(endpoint.method)) throw new Error(`Two endpoints answer ${endpoint.route}.`)
    node.endpoints.set(endpoint.method, { endpoint, names })
  }

  /** Searches from a node. When a path lacks the method, other paths may have it: `wikis/attachments`, `wikis/:slug`. */
  #walk(node: Node<E>, search: Search, index: number): Entry<E> | undefined {
    const { segments, method } = search
    if (index === segments.length) {
      const route = node.endpoints.get(method) ?? (method === 'HEAD' ? node.endpoints.get('GET') : undefined)
      if (!route) for (const other of allowedMethods(node)) search.allowed.add(other)
      return route
    }
    const segment = segments[index]!
    const fixed = node.fixed.get(segment)
    const direct = fixed && this.#walk(fixed, search, index + 1)
    if (direct) return direct
    for (const { prefix, node: next } of node.partial) {
      if (!segment.startsWith(prefix) || segment.length === prefix.length) continue
      const route = this.#bind(next, search, index, segment.slice(prefix.length))
      if (route) return route
    }
    if (segment === '') return undefined
    const route = node.param && this.#bind(node.param, search, index, segment)
    return route ?? (node.span && this.#bindSpan(node.span, search, index))
  }

  /** Matches a parameter of several segments: as few as possible, or all when no segment follows in the declared path. */
  #bindSpan(node: Node<E>, search: Search, index: number): Entry<E> | undefined {
    const { segments } = search
    const isLast = node.fixed.size === 0 && !node.param && !node.span && node.partial.length === 0
    for (let end = isLast ? segments.length : index + 1; end <= segments.length; end++) {
      const route = this.#bind(node, search, index, segments.slice(index, end).join('/'), end)
      if (route) return route
    }
    return undefined
  }

  #bind(node: Node<E>, search: Search, index: number, value: string, end = index + 1): Entry<E> | undefined {
    search.values.push(value)
    const route = this.#walk(node, search, end)
    if (!route) search.values.pop()
    return route
  }
}

function allowedMethods({ endpoints }: Node<unknown>): string[] {
  const methods = [...endpoints.keys()]
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods
}

/** Decodes a parameter. Undefined for invalid percent-encoding and for NUL, which no name contains. */
function decodeSegment(raw: string): string | undefined {
  if (!raw.includes('%')) return raw
  try {
    const value = decodeURIComponent(raw)
    return value.includes('\0') ? undefined : value
  } catch {
    return undefined
  }
}

/** Marks a path parameter that may consist of several segments, at its end. */
const SPAN = '*'

/** The route of an endpoint, as a line of the generated list: `GET /projects/:id/repository/files/:file_path*`. */
export function routeLine({ method, path, slashParams }: Endpoint): string {
  const isSpan = (segment: string) => segment.startsWith(':') && slashParams.includes(segment.slice(1))
  const segments = path.split('/').map((segment) => (isSpan(segment) ? segment + SPAN : segment))
  return `${method} ${segments.join('/')}`
}

const NONE: readonly string[] = []

function spansOf(marked: string): string[] {
  const spans = marked.split('/').filter((segment) => segment.endsWith(SPAN))
  return spans.map((segment) => segment.slice(1, -SPAN.length))
}

/** An endpoint that is loaded at its first request. */
export class EndpointSource implements Pick<Endpoint, 'method' | 'path' | 'route' | 'slashParams'> {
  readonly method: Method
  readonly path: string
  readonly route: Route
  readonly slashParams: readonly string[]
  readonly #load: () => Promise<readonly Endpoint[]>
  #loaded: Endpoint | undefined

  /** `load` loads the endpoints of the domain. */
  constructor(line: string, load: () => Promise<readonly Endpoint[]>) {
    const space = line.indexOf(' ')
    this.method = line.slice(0, space) as Method
    this.slashParams = line.includes(SPAN) ? spansOf(line.slice(space + 1)) : NONE
    // Most of the thousand lines have no mark, and each start reads all of them.
    this.route = (this.slashParams === NONE ? line : line.replaceAll(SPAN, '')) as Route
    this.path = this.route.slice(space + 1)
    this.#load = load
  }

  /** The endpoint; undefined before `load`. */
  get loaded(): Endpoint | undefined {
    return this.#loaded
  }

  async load(): Promise<Endpoint> {
    const found = (await this.#load()).find(({ route }) => route === this.route)
    if (!found) throw new Error(`${this.route} is not declared any more; run "npm run gen".`)
    this.#loaded = found
    return found
  }
}
