import { listRefs, updateRefs } from '../../../../git/refs.ts'
import { withWriteLock } from '../../../../git/repository.ts'
import type { Repo } from '../../../../git/types.ts'

/** What is needed while an import lasts; nobody else sees it. */
export const IMPORT_REFS = 'refs/import/'

/** Takes those refs away. */
export async function dropImportRefs(repo: Repo): Promise<void> {
  await withWriteLock(repo, async () => {
    const refs = await listRefs(repo, IMPORT_REFS)
    if (refs.length === 0) return
    await updateRefs(
      repo,
      refs.map(({ ref, oid }) => ({ ref, old: oid, new: null })),
    )
  })
}
