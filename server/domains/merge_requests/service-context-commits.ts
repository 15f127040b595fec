import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { readCommits } from '../../git/commits.ts'
import { keepAround } from '../../git/refs.ts'
import { resolveCommit } from '../../git/revisions.ts'
import { fail } from '../../lib/fail.ts'
import { fullPath, inRepository, type Project } from '../projects/index.ts'
import { mustReadCode } from './policy.ts'
import * as store from './store.ts'
import type { MergeRequestRow } from './types.ts'

/** Commits that can be added at once (spec core 5.2). */
const MAX_COMMITS = 20

const unknown = () => fail('bad_request', "One or more context commits' sha is not valid.")

/** Commits as lists show them; what is not in the repository any more is left out. */
async function shown(ctx: Ctx, project: Project, shas: readonly string[]) {
  const commits = await inRepository(ctx, project, (repo) => readCommits(repo, shas))
  return commits.map((commit) => ({ commit, path: fullPath(project), project_id: project.id }))
}

/** Commits of the project that are shown beside a merge request because it is about them. */
export function contextCommits(ctx: Ctx, project: Project, request: MergeRequestRow) {
  mustReadCode(ctx, project)
  return shown(ctx, project, store.contextCommitsOf(ctx.db, request.id))
}

/** Adds commits of the project. Throws 400 for more than twenty and for what is no commit there. */
export async function addContextCommits(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  names: readonly string[],
) {
  mustReadCode(ctx, project)
  if (names.length > MAX_COMMITS)
    throw fail('bad_request', `Context commits array size should not be more than ${MAX_COMMITS}`)
  const shas = await inRepository(ctx, project, async (repo) => {
    const found = await Promise.all(names.map((name) => resolveCommit(repo, name)))
    const ids = found.filter((id) => id !== null)
    if (names.length === 0 || ids.length < names.length) throw unknown()
    // They are linked to from here, whatever becomes of their branch.
    await keepAround(repo, ids)
    return [...new Set(ids)]
  })
  tx(ctx.db, () => store.insertContextCommits(ctx.db, request.id, shas, ctx.now))
  return shown(ctx, project, shas)
}

/** Takes commits away again. Throws 400 for what was not added. */
export function removeContextCommits(ctx: Ctx, request: MergeRequestRow, shas: readonly string[]): void {
  tx(ctx.db, () => {
    const known = store.contextCommitsOf(ctx.db, request.id)
    const isKnown = shas.length > 0 && shas.every((sha) => known.includes(sha))
    if (!isKnown) throw unknown()
    store.deleteContextCommits(ctx.db, request.id, shas)
  })
}
