import type { Endpoint, Method, Route } from './endpoint.ts'

/** Marks a path parameter that may consist of several segments, at its end. */
const SPAN = '*'

/** The route of an endpoint, as a line of the generated list: `GET /projects/:id/repository/files/:file_path*`. */
export function routeLine({ method, path, slashParams }: Endpoint): string {
  const isSpan = (segment: string) => segment.startsWith(':') && slashParams.includes(segment.slice(1))
  const segments = path.split('/').map((segment) => (isSpan(segment) ? segment + SPAN : segment))
  return `${method} ${segments.join('/')}`
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
    const [method, marked] = line.split(' ') as [Method, string]
    const spans = marked.split('/').filter((segment) => segment.endsWith(SPAN))
    this.method = method
    this.slashParams = spans.map((segment) => segment.slice(1, -SPAN.length))
    this.path = spans.length === 0 ? marked : marked.replaceAll(SPAN, '')
    this.route = `${method} ${this.path}` as Route
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
