/** An event of the instance in the stream. */
export type LiveEvent = {
  name: string
  project_id?: number
  group_id?: number
  user_id?: number
  [key: string]: unknown
}

/** An answer in the cache. */
export type Cached = { endpoint: string; params: Record<string, unknown>; data: unknown }

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
  runner: /^GET (\/(projects|groups)\/:id)?\/runners|^GET \/-\/built_in_runner/,
  plan_limits: /^GET \/application\/plan_limits$/,
  instance_feature: /^GET \/features(\/|$)/,
  oauth_application: /^GET \/-\/.*applications$/,
  session: /^GET \/-\/profile\/sessions$/,
  ssh_key: /^GET \/(user|users\/:\w+)\/keys|^GET \/keys/,
  gpg_key: /^GET \/(user|users\/:\w+)\/gpg_keys/,
  topic: /^GET \/(topics|projects)(\/|$)/,
  // Who shows the clock or opens another world listens to these.
  clock: /^$/,
  snapshot: /^$/,
  // Attachments appear with the text that has them.
  upload: /^$/,
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

/** Events that concern all answers of their project or group, and the answers of no project that they concern. */
const ALSO: Readonly<Record<string, RegExp>> = {
  user: /^GET \/users?(\/|$)|^GET \/-\/profile$/,
  settings: /^GET \/application\/|^GET \/-\/look$/,
  access_token: /access_tokens/,
  personal_access_token: /access_tokens/,
  deploy_token: /deploy_tokens/,
  ci_variable: /^GET \/admin\/ci\/variables/,
  custom_attribute: /\/custom_attributes/,
  snippet: /^GET \/snippets/,
}
/** Events that concern nothing but their project or group. */
const OF_OWNER = [
  'approval_rule',
  'award',
  'commit_status',
  'deploy_key',
  'fork',
  'group',
  'issuable',
  'issue',
  'label',
  'member',
  'merge_request',
  'milestone',
  'note',
  'project',
  'protected_branches',
  'protected_tags',
  'refs',
  'repository',
  'secure_file',
  'share',
]
/** The families of events by their first word; a test compares them with those that the server declares. */
export const FAMILIES: ReadonlySet<string> = new Set([
  ...[ONLY, WORK, ALSO].flatMap(Object.keys),
  ...OF_OWNER,
])

/** Returns the cached answers that an event makes stale. */
export const staleAfter = (event: LiveEvent, cached: Cached[]): Cached[] => {
  const topic = event.name.split('.')[0] ?? ''
  const only = ONLY[topic]
  if (only) return cached.filter((entry) => only.test(entry.endpoint))
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
    return ALSO[topic]?.test(entry.endpoint) ?? false
  })
}
