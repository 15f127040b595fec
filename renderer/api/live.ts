import { useQueryCache, type UseQueryEntry } from '@pinia/colada'
import type { Pinia } from 'pinia'
import { ref } from 'vue'
import { readKey } from './keys.ts'
import { fileUrl } from './page-token.ts'

/** A fact of the instance, as the stream tells it. */
export type Fact = {
  name: string
  project_id?: number
  group_id?: number
  user_id?: number
  [key: string]: unknown
}

/** Whether the stream of facts is open; the window shows it beside the address. */
export const isLive = ref(false)

const listeners = new Set<(fact: Fact) => void>()

/** Hears every fact as it comes, for what is no cached answer. Returns how to stop. */
export const onFact = (listener: (fact: Fact) => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

type Cached = { endpoint: string; params: Record<string, unknown>; data: unknown }

const LISTS_OF_PROJECTS = /^GET \/(projects|groups\/:id\/projects|users\/:user_id\/projects|groups\/:id)$/
const LISTS_OF_GROUPS = /^GET \/(groups|groups\/:id\/subgroups|namespaces)$/

/** Paths stand in addresses where facts carry numbers; a cached project or group knows both. */
const namesOf = (id: number, cached: Cached[], owner: 'projects' | 'groups') => {
  const names = new Set([String(id)])
  for (const { endpoint, params, data } of cached) {
    if (endpoint === `GET /${owner}/:id` && (data as { id?: number } | undefined)?.id === id)
      names.add(String(params.id))
  }
  return names
}

/** Answers of the API, and those that only the window has. */
const concernsOwner = (entry: Cached, owner: 'projects' | 'groups', names: Set<string>) =>
  (entry.endpoint.startsWith(`GET /${owner}/:id`) || entry.endpoint.startsWith(`GET /-/${owner}/:id`)) &&
  names.has(String(entry.params.id))

/** Facts that are about one view of many things, and which answers show it. */
const ONLY: Readonly<Record<string, RegExp>> = {
  todos: /^GET \/(todos|user_counts)$/,
  hook: /\/hooks(\/|$)|^GET \/projects\/:id\/integrations|^GET \/-\/.*integrations/,
  // What webhooks are told of has facts of its own.
  hook_event: /^$/,
  mail: /^GET \/-\/mails$/,
  backup: /^GET \/-\/admin\/backups/,
  push_rule: /\/push_rule$/,
  scim: /^GET \/-\/(groups\/:id\/)?scim\//,
  storage: /^GET \/-\/admin\/storages$/,
  storage_move: /^GET \/-\/admin\/storage(s|_moves)$|\/repository_storage_moves/,
  activity: /^GET \/((users|projects)\/:id\/)?events$/,
  export: /\/export(_progress)?$|^GET \/-\/exports/,
  import:
    /\/import(_progress|_failures)?$|^GET \/-\/(imports|group_imports)|^GET \/bulk_imports|\/relation-imports$/,
  appearance: /^GET \/(-\/look|application\/appearance)$/,
  broadcast_message: /^GET \/(-\/)?broadcast_messages(\/|$)/,
}
/** What is planned stands in lists over all projects too, and is counted. */
const PLANNED = new Set(['issue', 'issuable', 'merge_request'])
const LISTS_OF_PLANNED = /^GET \/(user_counts|todos|(groups\/:id\/)?(issues|merge_requests))$/

/** What changes many times a minute while jobs run, and which answers of its project show it. */
const WORK: Readonly<Record<string, RegExp>> = {
  pipeline: /\/(pipelines|jobs|statuses|merge_requests|environments|deployments)|commits\/:sha$/,
  job: /\/(pipelines|jobs|statuses|environments|deployments|resource_groups)/,
  environment: /\/(environments|deployments)/,
  deployment: /\/(environments|deployments|merge_requests)/,
  schedule: /\/pipeline_schedules/,
  remote_mirror: /\/remote_mirrors/,
  pull_mirror: /\/mirror\/pull/,
  integration: /\/(integrations|services|outside)/,
  feature_flag: /\/feature_flags/,
  release: /\/releases|\/repository\/tags/,
  wiki_page: /\/wikis/,
  wiki: /\/wikis/,
}
const RUNNERS = /^GET (\/(projects|groups)\/:id)?\/runners|^GET \/-\/built_in_runner/

/** Says which cached answers a fact makes stale. Exported for its test; the stream below is the only user. */
export const staleAfter = (fact: Fact, cached: Cached[]): Cached[] => {
  const topic = fact.name.split('.')[0] ?? ''
  const only = ONLY[topic]
  if (only) return cached.filter((entry) => only.test(entry.endpoint))
  if (topic === 'runner') return cached.filter((entry) => RUNNERS.test(entry.endpoint))
  const project = fact.project_id === undefined ? null : namesOf(fact.project_id, cached, 'projects')
  const group = fact.group_id === undefined ? null : namesOf(fact.group_id, cached, 'groups')
  const work = WORK[topic]
  if (work) {
    return cached.filter(
      (entry) =>
        (work.test(entry.endpoint) &&
          ((project !== null && concernsOwner(entry, 'projects', project)) ||
            (group !== null && concernsOwner(entry, 'groups', group)))) ||
        (topic === 'job' && /^GET (\/-\/running_jobs|\/runners\/:id\/jobs)$/.test(entry.endpoint)),
    )
  }
  return cached.filter((entry) => {
    if (fact.name === 'project.import_ended' && entry.endpoint === 'GET /-/imports') return true
    if (PLANNED.has(topic) && LISTS_OF_PLANNED.test(entry.endpoint)) return true
    if (project && (concernsOwner(entry, 'projects', project) || LISTS_OF_PROJECTS.test(entry.endpoint)))
      return true
    if (group && (concernsOwner(entry, 'groups', group) || LISTS_OF_GROUPS.test(entry.endpoint))) return true
    if (topic === 'user' || topic === 'users') return entry.endpoint.startsWith('GET /users')
    if (topic === 'settings' || topic === 'application_settings')
      return entry.endpoint.startsWith('GET /application/') || entry.endpoint === 'GET /-/look'
    if (topic.endsWith('token') || topic.endsWith('tokens')) return entry.endpoint.includes('access_tokens')
    return false
  })
}

const SETTLE_MS = 120
const REOPEN_MS = 5_000

/**
 * Opens the stream of facts and keeps the cache honest: what any tool does through the API is on the screen at once.
 * A broken stream is opened again quietly; after that everything on the screen is asked for anew. `renew` asks for what
 * opens it. Returns how to close it.
 */
export const openLive = (pinia: Pinia, renew: () => Promise<void>) => {
  const cache = useQueryCache(pinia)
  let waiting: Fact[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let wasOpen = false

  /** A request that a newer one overtakes is no failure; the others show theirs where the answer is shown. */
  const refetch = (predicate: (entry: UseQueryEntry) => boolean) => {
    cache.invalidateQueries({ predicate }).catch(() => undefined)
  }

  const settle = () => {
    timer = undefined
    const cached = cache.getEntries().flatMap((entry) => {
      const key = readKey(entry.key)
      return key ? [{ ...key, data: entry.state.value.data, entry }] : []
    })
    const stale = new Set(waiting.flatMap((fact) => staleAfter(fact, cached)))
    waiting = []
    const entries = new Set(cached.filter((one) => stale.has(one)).map((one) => one.entry))
    if (entries.size > 0) refetch((entry) => entries.has(entry))
  }

  const hear = (event: MessageEvent<string>) => {
    const fact = JSON.parse(event.data) as Fact
    for (const listener of listeners) listener(fact)
    // A log grows all the time; who shows it listens.
    if (fact.name === 'job.trace_changed') return
    waiting.push(fact)
    timer ??= setTimeout(settle, SETTLE_MS)
  }

  let source: EventSource
  let isClosed = false
  let again: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    source = new EventSource(fileUrl('/-/events'))
    source.addEventListener('fact', hear)
    source.addEventListener('open', () => {
      isLive.value = true
      if (wasOpen) refetch(() => true)
      wasOpen = true
    })
    source.addEventListener('error', () => {
      isLive.value = false
      // The browser tries again by itself unless it was refused: then with what opens the stream now.
      if (source.readyState === EventSource.CLOSED) again = setTimeout(reopen, REOPEN_MS)
    })
  }
  const reopen = () => {
    const next = () => {
      if (!isClosed) again = setTimeout(reopen, REOPEN_MS)
    }
    void renew().then(() => {
      if (!isClosed) open()
    }, next)
  }
  open()

  return () => {
    isClosed = true
    source.close()
    clearTimeout(again)
    clearTimeout(timer)
    isLive.value = false
  }
}
