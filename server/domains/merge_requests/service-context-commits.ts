import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { readCommits } from '../../git/read/commits.ts'
import { keepAround } from '../../git/write/refs.ts'
import { resolveCommit } from '../../git/read/revisions.ts'
import { fail } from '../../lib/fail.ts'
import { fullPath, inRepository, type Project } from '../projects/index.ts'
import { checkMayReadCode } from './policy.ts'
import * as store from './store.ts'
import type { MergeRequestRow } from './types.ts'

/** Most commits of one request (spec core 5.2). */
const MAX_COMMITS = 20

const unknown = () => fail('bad_request', "One or more context commits' sha is not valid.")

/** Reads the commits as lists show them. Missing ones are left out. */
async function shown(ctx: Ctx, project: Project, shas: readonly string[]) {
  const commits = await inRepository(ctx, project, (repo) => readCommits(repo, shas))
  return commits.map((commit) => ({ commit, path: fullPath(project), project_id: project.id }))
}

/** Lists the context commits of a merge request: commits of the project that help to review it. */
export function contextCommits(ctx: Ctx, project: Project, request: MergeRequestRow) {
  checkMayReadCode(ctx, project)
  return shown(ctx, project, store.contextCommitsOf(ctx.db, request.id))
}

/** Adds context commits. Throws 400 for more than 20 and for commits that the project does not have. */
export async function addContextCommits(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  names: readonly string[],
) {
  checkMayReadCode(ctx, project)
  if (names.length > MAX_COMMITS)
    throw fail('bad_request', `Context commits array size should not be more than ${MAX_COMMITS}`)
  const shas = await inRepository(ctx, project, async (repo) => {
    const found = await Promise.all(names.map((name) => resolveCommit(repo, name)))
    const ids = found.filter((id) => id !== null)
    if (names.length === 0 || ids.length < names.length) throw unknown()
    // Keeps the commits when their branch is deleted.
    await keepAround(repo, ids)
    return [...new Set(ids)]
  })
  tx(ctx.db, () => store.insertContextCommits(ctx.db, request.id, shas, ctx.now))
  return shown(ctx, project, shas)
}

/** Removes context commits. Throws 400 for other commits. */
export function removeContextCommits(ctx: Ctx, request: MergeRequestRow, shas: readonly string[]): void {
  tx(ctx.db, () => {
    const known = store.contextCommitsOf(ctx.db, request.id)
    const isKnown = shas.length > 0 && shas.every((sha) => known.includes(sha))
    if (!isKnown) throw unknown()
    store.deleteContextCommits(ctx.db, request.id, shas)
  })
}
