import { useQueryCache, type UseQueryEntry } from '@pinia/colada'
import type { Pinia } from 'pinia'
import { ref } from 'vue'
import { readKey } from './keys.ts'
import { fileUrl } from './page-token.ts'

/** An event of the instance in the stream. */
export type LiveEvent = {
  name: string
  project_id?: number
  group_id?: number
  user_id?: number
  [key: string]: unknown
}

/** Whether the event stream is open. The window shows it next to the address. */
export const isLive = ref(false)

const listeners = new Set<(event: LiveEvent) => void>()

/** Subscribes to all live events, for data outside the cache. Returns a function that unsubscribes. */
export const onLiveEvent = (listener: (event: LiveEvent) => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

type Cached = { endpoint: string; params: Record<string, unknown>; data: unknown }

const LISTS_OF_PROJECTS = /^GET \/(projects|groups\/:id\/projects|users\/:user_id\/projects|groups\/:id)$/
const LISTS_OF_GROUPS = /^GET \/(groups|groups\/:id\/subgroups|namespaces)$/

/** Addresses contain paths and events contain ids. A cached project or group has both. */
const namesOf = (id: number, cached: Cached[], owner: 'projects' | 'groups') => {
  const names = new Set([String(id)])
  for (const { endpoint, params, data } of cached) {
    if (endpoint === `GET /${owner}/:id` && (data as { id?: number } | undefined)?.id === id)
      names.add(String(params.id))
  }
  return names
}

/** Answers of the API and of the window's endpoints. */
const concernsOwner = (entry: Cached, owner: 'projects' | 'groups', names: Set<string>) =>
  (entry.endpoint.startsWith(`GET /${owner}/:id`) || entry.endpoint.startsWith(`GET /-/${owner}/:id`)) &&
  names.has(String(entry.params.id))

/** Events that change one view of many records, and the answers that contain it. */
const ONLY: Readonly<Record<string, RegExp>> = {
  todos: /^GET \/(todos|user_counts)$/,
  hook: /\/hooks(\/|$)|^GET \/projects\/:id\/integrations|^GET \/-\/.*integrations/,
  // Webhook deliveries have their own events.
  hook_event: /^$/,
  mail: /^GET \/-\/mails$/,
  inspector: /^GET \/-\/workbench\/inspector/,
  backup: /^GET \/-\/admin\/backups/,
  push_rule: /\/push_rule$/,
  scim: /^GET \/-\/(groups\/:id\/)?scim\//,
  storage: /^GET \/-\/admin\/storages$/,
  storage_move: /^GET \/-\/admin\/storage(s|_moves)$|\/repository_storage_moves/,
  activity: /^GET \/((-\/)?(users|projects)\/:id\/)?events(\/charts)?$/,
  export: /\/export(_progress)?$|^GET \/-\/exports/,
  import:
    /\/import(_progress|_failures)?$|^GET \/-\/(imports|group_imports)|^GET \/bulk_imports|\/relation-imports$/,
  appearance: /^GET \/(-\/look|application\/appearance)$/,
  broadcast_message: /^GET \/(-\/)?broadcast_messages(\/|$)/,
}
/** Issues and merge requests are also in lists across projects and in counts. */
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

/** Returns the cached answers that an event makes stale. Exported for its test; only the stream below uses it. */
export const staleAfter = (event: LiveEvent, cached: Cached[]): Cached[] => {
  const topic = event.name.split('.')[0] ?? ''
  const only = ONLY[topic]
  if (only) return cached.filter((entry) => only.test(entry.endpoint))
  if (topic === 'runner') return cached.filter((entry) => RUNNERS.test(entry.endpoint))
  const project = event.project_id === undefined ? null : namesOf(event.project_id, cached, 'projects')
  const group = event.group_id === undefined ? null : namesOf(event.group_id, cached, 'groups')
  const work = WORK[topic]
  if (work) {
    return cached.filter(
      (entry) =>
        (work.test(entry.endpoint) &&
          ((project !== null && concernsOwner(entry, 'projects', project)) ||
            (group !== null && concernsOwner(entry, 'groups', group)))) ||
        (entry.endpoint === 'GET /-/pipeline_states' && topic === 'pipeline') ||
        (topic === 'job' && /^GET (\/-\/running_jobs|\/runners\/:id\/jobs)$/.test(entry.endpoint)),
    )
  }
  return cached.filter((entry) => {
    if (event.name === 'project.import_ended' && entry.endpoint === 'GET /-/imports') return true
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
 * Opens the event stream and invalidates cached answers, so that the window shows at once what any client changes.
 * A broken stream is reopened; then everything on the screen is requested again. `renew` requests what
 * opens it. Returns how to close it.
 */
export const openLive = (pinia: Pinia, renew: () => Promise<void>) => {
  const cache = useQueryCache(pinia)
  let waiting: LiveEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let wasOpen = false

  /** A request canceled by a newer one is not an error. Other errors are shown with the response. */
  const refetch = (predicate: (entry: UseQueryEntry) => boolean) => {
    cache.invalidateQueries({ predicate }).catch(() => undefined)
  }

  const settle = () => {
    timer = undefined
    const cached = cache.getEntries().flatMap((entry) => {
      const key = readKey(entry.key)
      return key ? [{ ...key, data: entry.state.value.data, entry }] : []
    })
    const stale = new Set(waiting.flatMap((event) => staleAfter(event, cached)))
    waiting = []
    const entries = new Set(cached.filter((one) => stale.has(one)).map((one) => one.entry))
    if (entries.size > 0) refetch((entry) => entries.has(entry))
  }

  const onEvent = (message: MessageEvent<string>) => {
    const event = JSON.parse(message.data) as LiveEvent
    for (const listener of listeners) listener(event)
    // Everything may be another: users, settings, the session.
    if (event.name === 'snapshot.restored') return location.reload()
    // A log grows all the time; who shows it listens.
    if (event.name === 'job.trace_changed') return
    waiting.push(event)
    timer ??= setTimeout(settle, SETTLE_MS)
  }

  let source: EventSource
  let isClosed = false
  let again: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    source = new EventSource(fileUrl('/-/events'))
    source.addEventListener('event', onEvent)
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
