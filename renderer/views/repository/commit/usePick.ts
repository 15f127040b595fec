import { computed, shallowRef, watch } from 'vue'
import { api, ApiError } from '../../../api/client.ts'
import { messageOf } from '../../../api/errors.ts'
import { useAction } from '../../../api/useAction.ts'
import { useProject } from '../../../composables/useProject.ts'
import type { CommitTarget } from '../edit/useCommitTarget.ts'
import { t } from '../../../locales/t.ts'

export type PickKind = 'cherry_pick' | 'revert'
/** Whether a commit can be cherry-picked to a branch: pending, yes, or the server's reason. */
export type Trial = { state: 'asking' } | { state: 'fits' } | { state: 'fails'; said: string; code: unknown }

const ENDPOINTS = {
  cherry_pick: 'POST /projects/:id/repository/commits/:sha/cherry_pick',
  revert: 'POST /projects/:id/repository/commits/:sha/revert',
} as const
const DONE = { cherry_pick: t('repository.cherry_picked_onto'), revert: t('repository.reverted_on') } as const

/** Puts a commit, or its opposite, on a branch; tried out first on the branch that is chosen. */
export const usePick = (kind: PickKind, sha: () => string, branch: () => string, target: CommitTarget) => {
  const project = useProject()
  const trial = shallowRef<Trial | null>(null)
  let asked = 0

  const tryOut = async () => {
    const mine = ++asked
    trial.value = branch() ? { state: 'asking' } : null
    if (!branch()) return
    const params = { id: project.value.id, sha: sha(), branch: branch(), dry_run: true }
    try {
      await api(ENDPOINTS[kind], params)
      if (mine === asked) trial.value = { state: 'fits' }
    } catch (error) {
      if (mine !== asked) return
      // Who may not push there cannot try it there either; on a new branch the server will say.
      if (error instanceof ApiError && error.status === 403) trial.value = null
      else
        trial.value = {
          state: 'fails',
          said: messageOf(error),
          code: error instanceof ApiError ? error.body?.['error_code'] : null,
        }
    }
  }
  watch([sha, branch], () => void tryOut(), { immediate: true })

  const onNewBranch = async () => {
    const { id } = project.value
    const made = await api('POST /projects/:id/repository/branches', {
      id,
      branch: target.target.value,
      ref: branch(),
    })
    try {
      return await api(ENDPOINTS[kind], { id, sha: sha(), branch: made.name })
    } catch (error) {
      // The branch was only made for this commit.
      await api('DELETE /projects/:id/repository/branches/:branch', { id, branch: made.name }).catch(
        () => null,
      )
      throw error
    }
  }
  const pick = useAction({
    run: async () => {
      const made = target.state.isNew
        ? await onNewBranch()
        : await api(ENDPOINTS[kind], { id: project.value.id, sha: sha(), branch: branch() })
      return made as { id: string }
    },
    invalidates: ['GET /projects/:id/repository/*', 'GET /projects/:id'],
    report: 'form',
    done: () => `${DONE[kind]} ${target.target.value}`,
  })
  const isStopped = computed(() => trial.value?.state === 'fails')
  return { trial, isStopped, pick }
}
