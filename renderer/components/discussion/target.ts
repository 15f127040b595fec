import { api, apiPage, type Endpoint, type ListEndpoint, type Page, type Params } from '../../api/client.ts'
import type { Discussion, Note } from '../../api/schema.gen.ts'

/** The noteable: an issue or a merge request of a project. */
export type DiscussionTarget = {
  kind: 'issues' | 'merge_requests'
  /** The project's id and path. */
  id: number
  path: string
  iid: number
}

export type { Discussion, Note }
export type Position = NonNullable<Note['position']>

const IID = { issues: 'issue_iid', merge_requests: 'merge_request_iid' } as const

/** The endpoint of something below an issue or a merge request, the same for both. */
export const targetEndpoint = (kind: DiscussionTarget['kind'], method: string, rest: string): string =>
  `${method} /projects/:id/${kind}/:${IID[kind]}${rest}`

/** The parameters that name an issue or a merge request. */
export const targetParams = (target: DiscussionTarget): Record<string, unknown> => ({
  id: target.id,
  [IID[target.kind]]: target.iid,
})

const loose = api as unknown as (endpoint: string, params: object) => Promise<unknown>
const loosePage = apiPage as unknown as (
  endpoint: ListEndpoint,
  params: Params<Endpoint>,
  options: { signal?: AbortSignal },
) => Promise<Page<unknown>>

/** Sends a request about an issue or a merge request; both have the same answers. */
export const targetApi = <R = unknown>(
  target: DiscussionTarget,
  method: string,
  rest: string,
  params: object = {},
): Promise<R> =>
  loose(targetEndpoint(target.kind, method, rest), { ...targetParams(target), ...params }) as Promise<R>

/** Every page of a list below an issue or a merge request. */
export const targetList = async <T>(
  target: DiscussionTarget,
  rest: string,
  signal?: AbortSignal,
): Promise<T[]> => {
  const items: T[] = []
  for (let page: number | null = 1; page !== null && page <= 50;) {
    const endpoint = targetEndpoint(target.kind, 'GET', rest) as ListEndpoint
    const asked = { ...targetParams(target), page, per_page: 100 } as unknown as Params<Endpoint>
    const answer: Page<unknown> = await loosePage(endpoint, asked, { signal })
    items.push(...(answer.items as T[]))
    page = answer.nextPage
  }
  return items
}
