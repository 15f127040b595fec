import { computed, reactive, watch } from 'vue'
import { api } from '../../../api/client.ts'
import { useBranch } from '../../../api/useBranch.ts'
import { useAbility } from '../../../composables/useAbility.ts'
import { slug } from '../../../composables/slug.ts'
import { useProject } from '../../../composables/useProject.ts'
import { useSession } from '../../../stores/session.ts'
import { t } from '../../../locales/t.ts'

/** The target of a commit, in the format of the commits API. */
export type CommitBranch = { branch: string; start_branch?: string; start_sha?: string }

/** Why nothing can be changed here by this user; null when something can. */
export const useWriteReason = () => {
  const project = useProject()
  const session = useSession()
  const { can } = useAbility()
  return computed(() => {
    if (!session.user) return t('repository.sign_in_to_change_files')
    if (project.value.archived) return t('repository.the_project_is_archived_and_read_only')
    return can('push_code', project.value) ? null : t('repository.only_developers_and_above_can_change_2')
  })
}

/**
 * The branch that a change is committed to: the one that is looked at, or a new one from there. Where the branch does
 * not take this user's commits, or what is looked at is no branch, only a new one is left, and `forced` says why.
 */
export const useCommitTarget = (
  gitRef: () => string,
  topic: () => string,
  /** The commit that was looked at, if it is known: a new branch begins there. */
  seen: () => string | null = () => null,
) => {
  const project = useProject()
  const session = useSession()
  const state = reactive({ message: '', isNew: false, name: '' })
  const isFirst = computed(() => project.value.empty_repo === true)

  const branch = useBranch(() =>
    gitRef() && !isFirst.value ? { id: project.value.id, name: gitRef() } : null,
  )
  const isBranch = computed(() => isFirst.value || branch.data.value !== undefined)
  const forced = computed(() => {
    if (isFirst.value || branch.isPending.value) return null
    if (!branch.data.value) return t('repository.git_ref_is_not_a_branch_the_change', { git_ref: gitRef() })
    if (branch.data.value.can_push) return null
    return t('repository.you_cannot_push_to_git_ref_the_change', { git_ref: gitRef() })
  })
  const suggestion = () => {
    const end = slug(topic().split('/').at(-1)?.replace(/\..*$/, '') ?? '') || 'change'
    return `${session.user?.username ?? 'patch'}/${end}`
  }
  watch(
    [forced, () => state.isNew],
    () => {
      if (forced.value) state.isNew = true
      if (state.isNew && !state.name) state.name = suggestion()
    },
    { immediate: true },
  )

  const ready = computed(() => !branch.isPending.value || isFirst.value)
  const target = computed(() => (state.isNew ? state.name.trim() : gitRef()))
  const missing = computed(() =>
    state.isNew && !state.name.trim() ? t('repository.enter_a_branch_name') : null,
  )

  const commitBranch = async (): Promise<CommitBranch> => {
    if (!state.isNew || target.value === gitRef()) return { branch: gitRef() }
    const sha = seen()
    if (sha) return { branch: target.value, start_sha: sha }
    if (isBranch.value) return { branch: target.value, start_branch: gitRef() }
    const { id } = project.value
    const start = await api('GET /projects/:id/repository/commits/:sha', { id, sha: gitRef() })
    return { branch: target.value, start_sha: start.id }
  }
  return { state, forced, isFirst, ready, missing, target, commitBranch }
}

export type CommitTarget = ReturnType<typeof useCommitTarget>
