import { ApiError, refusalOf } from './errors.ts'
import type { Merged } from './merged.ts'
import { pageToken } from './page-token.ts'
import type { Endpoints } from './schema.gen.ts'
import { t } from '../locales/t.ts'

export { ApiError } from './errors.ts'

export type Endpoint = keyof Endpoints & string
export type GetEndpoint = Extract<Endpoint, `GET ${string}`>
export type Params<E extends Endpoint> = Endpoints[E]['params']
export type Result<E extends Endpoint> = Merged<Endpoints[E]['result']>
/** Endpoints that return a list, with the type of its items. */
export type ListEndpoint = {
  [E in GetEndpoint]: Result<E> extends readonly unknown[] ? E : never
}[GetEndpoint]
/** Also includes list endpoints that use POST because a secret must not be in the URL. */
export type PagedEndpoint = {
  [E in Endpoint]: Result<E> extends readonly unknown[] ? E : never
}[Endpoint]
export type Item<E extends PagedEndpoint> = Result<E> extends readonly (infer T)[] ? T : never

/** One page of a list. `total` is unknown (null) where the server does not count. */
export type Page<T> = {
  items: T[]
  page: number
  perPage: number
  total: number | null
  nextPage: number | null
}

export type RequestOptions = {
  signal?: AbortSignal
  /** Byte from which on an answer is wanted. */
  from?: number
}
export type Built = { method: string; url: string; body: unknown }

const PLACEHOLDER = /:([a-z_]+)/g

const appendQuery = (query: URLSearchParams, key: string, value: unknown) => {
  if (value === undefined || value === null) return
  if (Array.isArray(value)) for (const item of value) query.append(`${key}[]`, String(item))
  else if (typeof value === 'object')
    for (const [name, inner] of Object.entries(value)) appendQuery(query, `${key}[${name}]`, inner)
  else query.append(key, String(value))
}

/** Turns `GET /projects/:id` and its parameters into a request. Paths below `/-/` belong to the window, all others to the API. */
export const buildRequest = (endpoint: string, params: Record<string, unknown> = {}): Built => {
  const [method = 'GET', template = '/'] = endpoint.split(' ')
  const rest = { ...params }
  const path = template.replace(PLACEHOLDER, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  const prefix = path.startsWith('/-/') ? '' : '/api/v4'
  if (method !== 'GET' && method !== 'HEAD' && method !== 'DELETE')
    return { method, url: prefix + path, body: rest }
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(rest)) appendQuery(query, key, value)
  const search = query.size > 0 ? `?${query}` : ''
  return { method, url: prefix + path + search, body: undefined }
}

let signedOut: () => void = () => {}

/** The headers that every request of this session carries. */
export const sessionHeaders = (): Headers => {
  const headers = new Headers({ Accept: 'application/json' })
  const token = pageToken()
  if (token) headers.set('X-CSRF-Token', token)
  return headers
}

/** Called when the server no longer knows the session. */
export const onSignedOut = (handler: () => void) => {
  signedOut = handler
}

const encodeBody = (body: unknown, headers: Headers): BodyInit | undefined => {
  if (body === undefined) return undefined
  const entries = Object.entries(body as Record<string, unknown>)
  if (entries.some(([, value]) => value instanceof Blob)) {
    const form = new FormData()
    for (const [key, value] of entries)
      if (value !== undefined) form.append(key, value instanceof Blob ? value : String(value ?? ''))
    return form
  }
  headers.set('Content-Type', 'application/json')
  return JSON.stringify(body)
}

const readBody = async (response: Response): Promise<unknown> => {
  if (response.status === 204) return null
  const text = await response.text()
  if (!text) return undefined
  if (!response.headers.get('content-type')?.includes('json')) return text
  return JSON.parse(text) as unknown
}

/** A 401 may also come from another host that rejects its token; its message differs. */
const isAboutSession = (refusal: unknown) =>
  (refusal as { message?: unknown } | undefined)?.message === '401 Unauthorized'

const send = async (endpoint: string, params: unknown, options: RequestOptions) => {
  const built = buildRequest(endpoint, params as Record<string, unknown>)
  const headers = sessionHeaders()
  if (options.from) headers.set('Range', `bytes=${options.from}-`)
  const body = encodeBody(built.body, headers)
  let response: Response
  try {
    response = await fetch(built.url, { method: built.method, headers, body, signal: options.signal })
  } catch (cause) {
    if (options.signal?.aborted) throw cause
    throw new ApiError(0, t('common.the_instance_does_not_respond_it_may'))
  }
  if (response.ok) return response
  const refusal = await readBody(response).catch(() => undefined)
  if (response.status === 401 && !built.url.startsWith('/-/') && isAboutSession(refusal)) signedOut()
  throw await refusalOf(response.status, refusal)
}

type Arguments<E extends Endpoint> =
  Record<never, never> extends Params<E>
    ? [params?: Params<E>, options?: RequestOptions]
    : [params: Params<E>, options?: RequestOptions]

/** Sends a request to the instance. Throws `ApiError` for every unsuccessful answer. */
export const api = async <E extends Endpoint>(
  endpoint: E,
  ...[params, options = {}]: Arguments<E>
): Promise<Result<E>> => {
  const response = await send(endpoint, params, options)
  return (await readBody(response)) as Result<E>
}

/** The text of an answer that is not JSON (raw files, logs). */
export const apiText = async (url: string, options: RequestOptions = {}): Promise<string> => {
  const response = await send(`GET ${url.replace(/^\/api\/v4/, '')}`, {}, options)
  return response.text()
}

/**
 * What has been added to something that grows, from byte `from` on. The answer begins with the last known byte, because
 * browsers log it as an error if there is nothing to send. An answer without ranges is cut here.
 */
export const apiGrown = async <E extends GetEndpoint>(
  endpoint: E,
  params: Params<E>,
  options: RequestOptions & { from: number },
): Promise<Uint8Array> => {
  const from = Math.max(0, options.from - 1)
  try {
    const response = await send(endpoint, params, { ...options, from })
    const bytes = new Uint8Array(await response.arrayBuffer())
    return bytes.subarray(response.status === 206 ? options.from - from : options.from)
  } catch (error) {
    // The log was erased and is shorter now.
    if (error instanceof ApiError && error.status === 416) return new Uint8Array()
    throw error
  }
}

/** Requests only the headers, for the type and size of a file without loading it. */
export const apiHead = async <E extends GetEndpoint>(
  endpoint: E,
  params: Params<E>,
  options: RequestOptions = {},
): Promise<Headers> => {
  const response = await send(endpoint.replace('GET', 'HEAD'), params, options)
  return response.headers
}

const numberHeader = (headers: Headers, name: string) => {
  const value = headers.get(name)
  return value ? Number(value) : null
}

/** Reads the paging headers; a list without counts still has a `Link` to its next page. */
export const readPage = <T>(items: T[], headers: Headers): Page<T> => {
  const page = numberHeader(headers, 'x-page') ?? 1
  const linked = /<[^>]*>;\s*rel="next"/.test(headers.get('link') ?? '')
  return {
    items,
    page,
    perPage: numberHeader(headers, 'x-per-page') ?? items.length,
    total: numberHeader(headers, 'x-total'),
    nextPage: numberHeader(headers, 'x-next-page') ?? (linked ? page + 1 : null),
  }
}

/** One page of a list with the data of its paging headers. */
export const apiPage = async <E extends PagedEndpoint>(
  endpoint: E,
  params: Params<E>,
  options: RequestOptions = {},
): Promise<Page<Item<E>>> => {
  const response = await send(endpoint, params, options)
  return readPage((await readBody(response)) as Item<E>[], response.headers)
}
