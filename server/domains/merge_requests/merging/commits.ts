import type { Ctx } from '../../../ctx.ts'
import { commitContent } from '../../../git/write/commit.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { isAncestor } from '../../../git/read/graph.ts'
import { newObject, writeObjects, type NewObject } from '../../../git/read/objects.ts'
import { rootTree } from '../../../git/write/tree-object.ts'
import type { Repo } from '../../../git/types.ts'
import type { Project } from '../../projects/index.ts'
import { committerOf } from '../../repository/index.ts'
import type { DiffVersionRow } from '../diffs/store.ts'
import type { MergeRequestRow } from '../types.ts'
import type { MergeShas } from './complete.ts'
import { identityOf, mergeMessage, squashMessage } from './messages.ts'

/** Everything that the commits of a merge are made from. */
export interface MergePlan {
  readonly repo: Repo
  readonly project: Project
  readonly request: MergeRequestRow
  readonly version: DiffVersionRow
  /** Head of the target branch. */
  readonly target: string
  /** The merged tree. */
  readonly tree: string
  readonly squash: boolean
  readonly messages: { readonly merge?: string | undefined; readonly squash?: string | undefined }
}

/** The new head of the target branch, with the commits that were made for it. */
export interface MadeCommits extends MergeShas {
  readonly tip: string
}

/**
 * Makes the commits of a merge by the `merge_method` of the project and writes them at once, without moving refs. Null
 * when the merge method requires a rebase first. `ctx` acts as the user who merges.
 */
export async function makeCommits(ctx: Ctx, plan: MergePlan): Promise<MadeCommits | null> {
  const { repo, project, version, target } = plan
  if (project.merge_method !== 'merge' && !(await isOnTop(plan))) return null
  const squashed = plan.squash ? await squashedCommit(ctx, plan) : null
  const squash_commit_sha = squashed?.id ?? null
  const head = squashed?.id ?? version.head_commit_sha
  const merged = project.merge_method === 'ff' ? null : await mergeCommit(ctx, plan, [target, head])
  const objects = [squashed, merged].filter((object): object is NewObject => object !== null)
  await writeObjects(repo, objects)
  return { tip: merged?.id ?? head, merge_commit_sha: merged?.id ?? null, squash_commit_sha }
}

async function isOnTop({ repo, version, target }: MergePlan): Promise<boolean> {
  return version.base_commit_sha === target || isAncestor(repo, target, version.head_commit_sha)
}

async function mergeCommit(ctx: Ctx, plan: MergePlan, parents: readonly string[]): Promise<NewObject> {
  const message = plan.messages.merge || (await mergeMessage(ctx, plan.project, plan.request))
  const committer = committerOf(ctx)
  return newObject('commit', commitContent(plan.tree, { parents, message, author: committer, committer }))
}

/** Makes the squashed commit. Null when there is only one commit with the same message. */
async function squashedCommit(ctx: Ctx, plan: MergePlan): Promise<NewObject | null> {
  const { repo, request, version } = plan
  const message = plan.messages.squash || (await squashMessage(ctx, plan.project, request))
  if (version.commits_count === 1) {
    const [only] = await readCommits(repo, [version.head_commit_sha])
    if (only?.message === message.trimEnd()) return null
  }
  const tree = await rootTree(repo, version.head_commit_sha)
  const parent = plan.project.merge_method === 'merge' ? version.base_commit_sha : plan.target
  const people = { author: identityOf(ctx, request.author_id), committer: committerOf(ctx) }
  return newObject(
    'commit',
    commitContent(tree!, { parents: parent === null ? [] : [parent], message, ...people }),
  )
}
