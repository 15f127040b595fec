import { reloads } from './reloads.gen.ts'

/** An event of the instance in the stream. */
export type LiveEvent = {
  name: string
  project_id?: number | null
  group_id?: number | null
  user_id?: number
  [key: string]: unknown
}

/** An answer in the cache. */
export type Cached = { endpoint: string; params: Record<string, unknown>; data: unknown }

type Owner = 'projects' | 'groups'

/** Addresses contain paths and events contain ids. A cached project or group has both. */
const namesOf = (id: number, cached: Cached[], owner: Owner) => {
  const names = new Set([String(id)])
  for (const { endpoint, params, data } of cached) {
    if (endpoint === `GET /${owner}/:id` && (data as { id?: number } | undefined)?.id === id)
      names.add(String(params.id))
  }
  return names
}

const { project = [], group = [], ...families } = reloads

const pathsOf = (event: LiveEvent): readonly string[] => {
  const owner = [...(event.project_id == null ? [] : project), ...(event.group_id == null ? [] : group)]
  const declared = families[event.name] ?? families[event.name.split('.')[0] ?? ''] ?? ['owner']
  return declared.flatMap((path) => (path === 'owner' ? owner : [path]))
}

/** Returns the cached answers that an event makes stale. The notation of paths is that of `Reloads` in the server. */
export const staleAfter = (event: LiveEvent, cached: Cached[]): Cached[] => {
  const paths = pathsOf(event)
  if (paths.length === 0) return []
  const owners = {
    projects: event.project_id == null ? null : namesOf(event.project_id, cached, 'projects'),
    groups: event.group_id == null ? null : namesOf(event.group_id, cached, 'groups'),
  }
  const hasOwner = owners.projects !== null || owners.groups !== null
  return cached.filter(({ endpoint, params }) => {
    const at = endpoint.slice(endpoint.indexOf('/'))
    const owner = /^\/(?:-\/)?(projects|groups)\/:id(?:\/|$)/.exec(at)?.[1] as Owner | undefined
    const isForeign = owner !== undefined && hasOwner && !owners[owner]?.has(String(params.id))
    return paths.some((declared) => {
      const isOfAll = declared.startsWith('+')
      const path = isOfAll ? declared.slice(1) : declared
      return (isOfAll || !isForeign) && (path.startsWith('/') ? at === path : `${at}/`.includes(`/${path}/`))
    })
  })
}
