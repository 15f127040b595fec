import { computed, ref } from 'vue'
import { api } from '../../api/client.ts'
import { useAction } from '../../api/useAction.ts'
import { useAbility } from '../../composables/useAbility.ts'
import { useProject } from '../../composables/useProject.ts'
import { useToasts } from '../../stores/toasts.ts'

export type RefKind = 'branch' | 'tag'
export type Leaving = { name: string; sha: string; isSafe: boolean }

const STALE = ['GET /projects/:id/repository/*']
const titles = { branch: 'Branch', tag: 'Tag' }

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
    tell: 'form',
    done: (made) => `${titles[kind]} ${made.name} created`,
  })
  const restore = useAction({
    run: makeRef,
    invalidates: STALE,
    done: (made) => `${titles[kind]} ${made.name} is back`,
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
        text: `${titles[kind]} ${name} deleted`,
        // An annotated tag would come back without its message, so only a branch can be undone.
        action: kind === 'branch' ? { label: 'Undo', run: () => void restore.run(name, sha) } : undefined,
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
    done: `${titles[kind]} protected: only maintainers change it now`,
  })
  const lift = useAction({
    run: (name: string): Promise<unknown> =>
      isBranch
        ? api('DELETE /projects/:id/protected_branches/:name', { id: project.value.id, name })
        : api('DELETE /projects/:id/protected_tags/:name', { id: project.value.id, name }),
    invalidates: guarded,
    done: 'The protection is lifted',
  })
  const mayProtect = computed(() => can('manage_protected_branches', project.value))

  const mayPush = computed(() => can('push_code', project.value))
  const reason = computed(() => {
    if (project.value.archived) return 'The project is archived and cannot be changed.'
    return mayPush.value ? null : 'Developers and above may change branches and tags.'
  })
  return { create, remove, leaving, protect, lift, mayProtect, reason }
}
