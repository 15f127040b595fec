import { computed, ref } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useAbility } from '../../composables/useAbility.ts'
import { useProject } from '../../composables/useProject.ts'
import { useToasts } from '../../stores/toasts.ts'
import { t } from '../../locales/t.ts'

export type RefKind = 'branch' | 'tag'
export type Leaving = { name: string; sha: string; isSafe: boolean }

const STALE = ['GET /projects/:id/repository/*']
const titles = { branch: t('common.branch'), tag: t('common.tag') }

/** Creates and deletes branches or tags; the toast offers to restore a deleted branch. */
export const useRefActions = (kind: RefKind) => {
  const project = useProject()
  const toasts = useToasts()
  const { can } = useAbility()

  const makeRef = (name: string, from: string, message?: string): Promise<{ name: string }> => {
    const { id } = project.value
    return kind === 'branch'
      ? api('POST /projects/:id/repository/branches', { id, branch: name, ref: from })
      : api('POST /projects/:id/repository/tags', {
          id,
          tag_name: name,
          ref: from,
          message: message || undefined,
        })
  }
  const create = useAction({
    run: makeRef,
    invalidates: STALE,
    report: 'form',
    done: (made) => t('repository.titles_name_created', { titles: titles[kind], name: made.name }),
  })
  const restore = useAction({
    run: makeRef,
    invalidates: STALE,
    done: (made) => t('repository.titles_name_restored', { titles: titles[kind], name: made.name }),
  })

  const leaving = ref<Leaving | null>(null)
  const remove = useAction({
    run: ({ name }: Leaving) => {
      const { id } = project.value
      return kind === 'branch'
        ? api('DELETE /projects/:id/repository/branches/:branch', { id, branch: name })
        : api('DELETE /projects/:id/repository/tags/:tag_name', { id, tag_name: name })
    },
    invalidates: STALE,
    onDone: (_, { name, sha }) => {
      leaving.value = null
      toasts.show({
        text: t('repository.titles_name_deleted', { titles: titles[kind], name }),
        // An annotated tag would come back without its message, so only a branch can be undone.
        action:
          kind === 'branch' ? { label: t('common.undo'), run: () => void restore.run(name, sha) } : undefined,
      })
    },
  })

  const isBranch = kind === 'branch'
  const guarded = [...STALE, 'GET /projects/:id/protected_*']
  const protect = useAction({
    run: (name: string): Promise<unknown> =>
      isBranch
        ? api('POST /projects/:id/protected_branches', { id: project.value.id, name })
        : api('POST /projects/:id/protected_tags', { id: project.value.id, name }),
    invalidates: guarded,
    done: t('repository.titles_protected_only_maintainers', { titles: titles[kind] }),
  })
  const lift = useAction({
    run: (name: string): Promise<unknown> =>
      isBranch
        ? api('DELETE /projects/:id/protected_branches/:name', { id: project.value.id, name })
        : api('DELETE /projects/:id/protected_tags/:name', { id: project.value.id, name }),
    invalidates: guarded,
    done: t('repository.unprotected'),
  })
  const mayProtect = computed(() => can('manage_protected_branches', project.value))

  const mayPush = computed(() => can('push_code', project.value))
  const reason = computed(() => {
    if (project.value.archived) return t('repository.the_project_is_archived_and_read_only')
    return mayPush.value ? null : t('repository.only_developers_and_above_can_change')
  })
  return { create, remove, leaving, protect, lift, mayProtect, reason }
}
