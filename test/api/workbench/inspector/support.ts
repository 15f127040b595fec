import type { Client, World } from '../../../support/world.ts'

const BASE = '/-/workbench/inspector'

/** A client of the inspector. Its own requests are not recorded. */
export function inspectorOf(here: World, root: Client = here.as(here.root)) {
  const read = async (path: string) => {
    const answer = await root.get(`${BASE}${path}`)
    if (answer.status !== 200) throw new Error(`The inspector answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
  return {
    state: () => read(''),
    switchTo: (params: { recording?: boolean; kept?: boolean }) => root.put(BASE, params),
    clear: () => root.delete(`${BASE}/requests`),
    list: (query = '') => read(`/requests?per_page=100${query}`),
    one: (reference: number | string) => read(`/requests/${reference}`),
    /** The complete record of the request with this response. */
    of: (answer: { headers: Headers }) => read(`/requests/${answer.headers.get('x-request-id')}`),
    har: (query = '') => root.get(`${BASE}/har${query}`),
    compare: (left: number, right: number) => read(`/comparison?left=${left}&right=${right}`),
    replay: (reference: number | string, edits: object = {}) =>
      root.post(`${BASE}/requests/${reference}/replay`, edits),
  }
}
