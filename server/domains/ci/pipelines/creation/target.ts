import type { Ctx } from '../../../../ctx.ts'
import { branchTip, refTarget, resolveCommit } from '../../../../git/read/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import { repoOf, type Project } from '../../../projects/index.ts'
import { isProtectedRef } from '../../job_variables/predefined.ts'

/** The ref and commit of a pipeline. */
export interface PipelineTarget {
  /** Short name of a branch or tag, `refs/merge-requests/N/head` of a merge request. */
  readonly ref: string
  readonly sha: string
  readonly kind: 'branch' | 'tag' | 'merge_request'
  /** True if protected variables and runners may be used; never for a merge request. */
  readonly isProtected: boolean
}

type Found = Pick<PipelineTarget, 'ref' | 'kind' | 'sha'>

const MERGE_REQUEST = /^refs\/merge-requests\/\d+\/(?:head|merge|train)$/

/**
 * The branch, tag or merge request of a name, at its newest commit; null where there is none. A short name that a branch
 * and a tag share is `ambiguous`.
 */
export async function targetOf(
  ctx: Ctx,
  project: Project,
  name: string,
): Promise<PipelineTarget | 'ambiguous' | null> {
  const repo = repoOf(ctx, project)
  const found = await find(repo, name)
  if (found === null || found === 'ambiguous') return found
  return { ...found, isProtected: isProtected(ctx, project, found) }
}

async function find(repo: Repo, name: string): Promise<Found | 'ambiguous' | null> {
  if (MERGE_REQUEST.test(name)) return at(name, 'merge_request', await resolveCommit(repo, name))
  if (name.startsWith('refs/heads/')) return branch(repo, name.slice('refs/heads/'.length))
  if (name.startsWith('refs/tags/')) return tag(repo, name.slice('refs/tags/'.length))
  const [asBranch, asTag] = await Promise.all([branch(repo, name), tag(repo, name)])
  return asBranch && asTag ? 'ambiguous' : (asBranch ?? asTag)
}

async function branch(repo: Repo, name: string): Promise<Found | null> {
  return at(name, 'branch', await branchTip(repo, name))
}

async function tag(repo: Repo, name: string): Promise<Found | null> {
  const full = `refs/tags/${name}`
  // Without this check another ref could match the name of the tag.
  if ((await refTarget(repo, full)) === null) return null
  return at(name, 'tag', await resolveCommit(repo, full))
}

function at(ref: string, kind: Found['kind'], sha: string | null): Found | null {
  return sha === null ? null : { ref, kind, sha }
}

function isProtected(ctx: Ctx, project: Project, { kind, ref }: Found): boolean {
  return kind !== 'merge_request' && isProtectedRef(ctx.db, project.id, { kind, name: ref })
}
