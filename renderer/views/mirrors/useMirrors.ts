import { computed } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useApi } from '../../api/useApi.ts'
import { useConfirmed } from '../../api/useConfirmed.ts'
import { usePage } from '../../api/usePage.ts'
import { projectUrl } from '../../composables/paths.ts'
import { projectCrumbs } from '../../composables/projectCrumbs.ts'
import { useCrumbs, type Crumb } from '../../composables/useCrumbs.ts'
import { useProject } from '../../composables/useProject.ts'
import { fromPull, fromPush, type Mirror } from './mirror.ts'
import { pullInput, pushInput, type MirrorForm } from './mirror-form.ts'
import { t } from '../../locales/t.ts'

const STALE = ['GET /projects/:id', 'GET /projects/:id/remote_mirrors*', 'GET /projects/:id/mirror/pull']

/**
 * The mirrors of the project that the address names: the one that it follows, and those that follow it. `last` is what
 * follows the list in the breadcrumb.
 */
export const useMirrors = (last: (list: readonly Mirror[]) => Crumb[] = () => []) => {
  const project = useProject()
  const at = (rest: string) => projectUrl(project.value.path_with_namespace, `settings/${rest}`)
  // Checked first, because the list returns 401 to users who may not set up mirrors, as if they were signed out.
  const access = useApi('GET /-/projects/:id/mirrors/access', () => ({ id: project.value.id }))
  const mayManage = computed(() => access.data.value?.may_manage === true)
  const pushes = usePage('GET /projects/:id/remote_mirrors', () =>
    mayManage.value ? { id: project.value.id, per_page: 100 } : null,
  )
  const isPulling = computed(() => project.value.mirror === true)
  const pull = useApi('GET /projects/:id/mirror/pull', () =>
    isPulling.value ? { id: project.value.id } : null,
  )
  const list = computed((): Mirror[] => [
    ...(isPulling.value && pull.data.value ? [fromPull(pull.data.value)] : []),
    ...pushes.items.value.map(fromPush),
  ])
  useCrumbs(() => {
    const below = last(list.value)
    const mirrors = { label: t('mirrors.mirrors'), ...(below.length > 0 ? { to: at('mirrors') } : {}) }
    return projectCrumbs(project.value, { label: t('common.settings'), to: at('general') }, mirrors, ...below)
  })
  const isRefused = computed(() => access.data.value?.may_manage === false)
  const isPending = computed(
    () =>
      (!isRefused.value && pushes.isPending.value) ||
      (isPulling.value && pull.isPending.value && !pull.error.value),
  )
  const refetch = () => {
    void access.refetch()
    if (mayManage.value) void pushes.refetch()
    if (isPulling.value) void pull.refetch()
  }
  const error = computed(
    () => access.error.value ?? pushes.error.value ?? (isPulling.value ? pull.error.value : null),
  )
  const isSilent = computed(() => access.data.value?.is_silent === true)
  return { project, at, list, isPulling, isPending, isRefused, isSilent, error, refetch }
}

/** The actions on the mirrors of a project. */
export const useMirrorActions = (projectId: () => number) => {
  const sync = useAction({
    invalidates: STALE,
    run: (one: Mirror) =>
      one.key === 'pull'
        ? api('POST /projects/:id/mirror/pull', { id: projectId() })
        : api('POST /projects/:id/remote_mirrors/:mirror_id/sync', { id: projectId(), mirror_id: one.key }),
    done: t('mirrors.scheduled_at_most_one_update_every'),
  })
  const remove = useConfirmed({
    invalidates: STALE,
    run: async (one: Mirror): Promise<void> => {
      if (one.key === 'pull') await api('PUT /projects/:id', { id: projectId(), mirror: false })
      else
        await api('DELETE /projects/:id/remote_mirrors/:mirror_id', { id: projectId(), mirror_id: one.key })
    },
    done: t('mirrors.mirror_removed'),
  })
  const save = useAction({
    report: 'form',
    invalidates: STALE,
    run: (one: Mirror | null, form: MirrorForm) => saved(projectId(), one, form),
    done: t('common.saved'),
  })
  return { sync, remove, save }
}

/** Saves a mirror and returns its key. A new one is updated immediately if it needs no further setup. */
const saved = async (id: number, one: Mirror | null, form: MirrorForm): Promise<Mirror['key']> => {
  if (form.direction === 'pull') {
    // Credentials are forgotten with the mirror only.
    if (one && form.auth === 'none') await api('PUT /projects/:id', { id, mirror: false })
    await api('PUT /projects/:id/mirror/pull', { id, ...pullInput(form, one) })
    return 'pull'
  }
  const input = pushInput(form, one)
  if (typeof one?.key === 'number') {
    await api('PUT /projects/:id/remote_mirrors/:mirror_id', { id, mirror_id: one.key, ...input })
    return one.key
  }
  const made = await api('POST /projects/:id/remote_mirrors', { id, ...input })
  if (made.enabled && form.auth !== 'ssh')
    await api('POST /projects/:id/remote_mirrors/:mirror_id/sync', { id, mirror_id: made.id })
  return made.id
}
