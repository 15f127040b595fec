import { computed, ref, watch } from 'vue'
import { api } from '../../api/client.ts'
import { findBranch } from '../../api/useBranch.ts'
import { useApi } from '../../api/useApi.ts'
import type { Event } from '../../api/schema.gen.ts'
import { encodePath } from '../../composables/paths.ts'
import { useRecent } from '../../stores/recent.ts'
import { useSession } from '../../stores/session.ts'
import { t } from '../../locales/t.ts'

/** Something the user was at. */
export type Where = {
  key: string
  kind: 'branch' | 'request' | 'draft' | 'visited'
  title: string
  note: string
  to: string
  /** Where a merge request of the branch is made, while there is none. */
  create?: string
  at: string
}

const SHOWN = 5
const MAX_BRANCHES = 2
const MAX_REQUESTS = 2

/** Branches pushed last, each once, that are still there. */
const branchesOf = (events: readonly Event[]): Event[] => {
  const seen = new Set<string>()
  return events.filter((event) => {
    const push = event.push_data
    const key = `${event.project_id}:${push?.ref}`
    if (!push || push.ref === null || push.ref_type !== 'branch' || seen.has(key)) return false
    seen.add(key)
    return push.action !== 'removed'
  })
}

/** A pushed branch that waits for its merge request; null for all other events. */
const waitingBranch = async (event: Event): Promise<Where | null> => {
  const branch = event.push_data!.ref!
  const id = event.project_id!
  const project = await api('GET /projects/:id', { id })
  if (
    branch === project.default_branch ||
    project.archived ||
    project.merge_requests_access_level === 'disabled'
  )
    return null
  const [request] = await api('GET /projects/:id/merge_requests', {
    id,
    source_branch: branch,
    state: 'all',
    per_page: 1,
  })
  if (request) return null
  const found = await findBranch({ id, name: branch })
  // A protected branch is one to merge into.
  if (!found || found.merged || found.protected) return null
  const base = `/${project.path_with_namespace}/-`
  return {
    key: `branch:${id}:${branch}`,
    kind: 'branch',
    title: branch,
    note: t('home.pushed_to_path_no_merge_request_yet', { path: project.path }),
    to: `${base}/tree/${encodePath(branch)}`,
    create: `${base}/merge_requests/new?merge_request%5Bsource_branch%5D=${encodeURIComponent(branch)}`,
    at: event.created_at,
  }
}

/** The recent activity of the user, newest first: pushed branches, own merge requests, opened pages. */
export const useWhere = () => {
  const recent = useRecent()
  const session = useSession()
  const pushes = useApi('GET /events', { action: 'pushed', per_page: 10 })
  const requests = useApi('GET /merge_requests', {
    scope: 'created_by_me',
    state: 'opened',
    order_by: 'updated_at',
    per_page: MAX_REQUESTS,
  })

  const branches = ref<Where[]>([])
  watch(
    () => pushes.data.value,
    async (events) => {
      const newest = branchesOf((events ?? []).filter((one) => one.author_id === session.user?.id))
      const found = await Promise.all(
        newest.slice(0, MAX_BRANCHES * 2).map((event) => waitingBranch(event).catch(() => null)),
      )
      branches.value = found.filter((one) => one !== null).slice(0, MAX_BRANCHES)
    },
    { immediate: true },
  )

  return computed<Where[]>(() => {
    const own = (requests.data.value ?? []).map((one): Where => ({
      key: `request:${one.id}`,
      kind: one.draft ? 'draft' : 'request',
      title: one.title,
      note: (one.references?.full ?? '').split('/').at(-1)!.replace('!', ' !'),
      to: new URL(one.web_url).pathname,
      at: one.updated_at,
    }))
    const entries = recent.list.map((one): Where => ({
      key: `${one.kind}:${one.id}`,
      kind: 'visited',
      title: one.name,
      note: one.full_path,
      to: `/${one.full_path}`,
      at: one.opened_at,
    }))
    return [...branches.value, ...own, ...entries].toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, SHOWN)
  })
}
