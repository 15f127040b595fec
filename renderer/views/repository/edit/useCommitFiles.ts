import type { ApiError, Params } from '../../../api/client.ts'
import { api } from '../../../api/client.ts'
import { useAction } from '../../../api/useAction.ts'
import { useProject } from '../../../composables/useProject.ts'
import type { CommitTarget } from './useCommitTarget.ts'
import { t } from '../../../locales/t.ts'

export type FileChange = Params<'POST /projects/:id/repository/commits'>['actions'][number]

/** Whether the server refused a commit because the file was changed after it was opened. */
export const isConflict = (refused: ApiError | null): boolean =>
  /has changed since you started editing it/.test(refused?.original ?? '')

/** Commits changes of files to the chosen branch; the answer is the new commit. */
export const useCommitFiles = (target: CommitTarget) => {
  const project = useProject()
  return useAction({
    run: async (changes: FileChange[], usual: string) =>
      api('POST /projects/:id/repository/commits', {
        id: project.value.id,
        ...(await target.commitBranch()),
        commit_message: target.state.message.trim() || usual,
        actions: changes,
        stats: false,
      }),
    invalidates: ['GET /projects/:id/repository/*', 'GET /projects/:id'],
    report: 'form',
    done: (commit) =>
      t('repository.committed_to_target_as_id', { target: target.target.value, id: commit.id.slice(0, 8) }),
  })
}
