import type { Endpoint, Method, Route } from './endpoint.ts'

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
