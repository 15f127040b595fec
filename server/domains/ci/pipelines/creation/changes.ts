import type { Ctx } from '../../../../ctx.ts'
import { listChanges } from '../../../../git/changes.ts'
import { mergeBase } from '../../../../git/graph.ts'
import { isZeroId } from '../../../../git/names.ts'
import { resolveCommit } from '../../../../git/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import { repoOf, type Project } from '../../../projects/index.ts'
import type { PipelineOrder } from './order.ts'

/** Refs of `changes:compare_to` that are looked at. */
const MAX_REFS = 20

/** Paths that the commits of a pipeline change; null where there is nothing to compare with (spec ci 4.7). */
export async function changesOf(
  ctx: Ctx,
  project: Project,
  order: Pick<PipelineOrder, 'before_sha' | 'merge_request'>,
  sha: string,
): Promise<readonly string[] | null> {
  if (order.merge_request) {
    const { changes } = order.merge_request
    return typeof changes === 'function' ? changes() : changes
  }
  const before = order.before_sha
  if (!before || isZeroId(before)) return null
  const repo = repoOf(ctx, project)
  // What was pushed over may be gone.
  const from = await resolveCommit(repo, before)
  return from === null ? null : pathsBetween(repo, from, sha)
}

/** Paths that changed since the histories of each ref and the commit parted; a ref that is none is left out. */
export async function changesSince(
  ctx: Ctx,
  project: Project,
  refs: readonly string[],
  sha: string,
): Promise<Map<string, readonly string[]>> {
  const repo = repoOf(ctx, project)
  const found = new Map<string, readonly string[]>()
  for (const ref of refs.slice(0, MAX_REFS)) {
    const from = await resolveCommit(repo, ref)
    if (from === null) continue
    found.set(ref, await pathsBetween(repo, (await mergeBase(repo, from, sha)) ?? from, sha))
  }
  return found
}

/** Paths that differ between two commits given by their full ids. */
export async function pathsBetween(repo: Repo, from: string, to: string): Promise<string[]> {
  const changes = await listChanges(repo, { from, to }, { renames: false })
  return [...new Set(changes.flatMap(({ old_path, new_path }) => [old_path, new_path]))]
}
