import type { Ctx } from '../../../ctx.ts'
import { isObjectId } from '../../../git/names.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { findEntry } from '../../../git/read/tree.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import type { CommitRow } from '../commits/entity.ts'
import { refusedPush, commitFiles } from '../commits/write.ts'
import { getCommit } from '../commits/service.ts'
import { filePath } from '../files/service.ts'
import { inRepository } from '../../projects/index.ts'

/** A submodule and the commit of its own repository that it should point to. */
export interface SubmoduleUpdate {
  /** Path of the submodule. */
  readonly submodule: string
  readonly branch: string
  readonly commit_sha: string
  readonly commit_message?: string | undefined
}

/** Points a submodule to another commit, with a new commit on a branch. */
export async function updateSubmodule(
  ctx: Ctx,
  project: Project,
  given: SubmoduleUpdate,
): Promise<CommitRow> {
  const { branch, commit_sha } = given
  const path = filePath(given.submodule)
  if (!isObjectId(commit_sha)) throw fail('bad_request', 'Invalid commit SHA')
  await inRepository(ctx, project, async (repo) => {
    const tip = await branchTip(repo, branch)
    if (tip === null) throw notFound('Branch')
    const entry = await findEntry(repo, tip, path)
    if (entry?.type !== 'commit') throw fail('bad_request', 'Invalid submodule path')
    if (entry.id === commit_sha) {
      throw fail('bad_request', `The submodule ${path} is already at ${commit_sha}`)
    }
  })
  const message = given.commit_message || `Update submodule ${path} with oid ${commit_sha}`
  const actions = [{ action: 'submodule', file_path: path, commit_id: commit_sha } as const]
  const made = await commitFiles(ctx, project, { branch, commit_message: message, actions }, refusedPush)
  return getCommit(ctx, project, made.id, true)
}
