import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { type CommitAction, createCommit } from '../../git/write/commit.ts'
import { GitActionError, GitInputError, GitRefError } from '../../git/errors.ts'
import { type RefUpdate, updateRefs } from '../../git/write/refs.ts'
import { withWriteLock } from '../../git/upkeep/repository.ts'
import { branchTip } from '../../git/read/revisions.ts'
import { rootTree } from '../../git/write/tree-object.ts'
import type { Repo } from '../../git/types.ts'
import { enqueue, withdraw } from '../../jobs/job.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { translateGitError } from '../projects/index.ts'
import { committerOf } from '../repository/index.ts'
import { LOOK_AFTER_MS, type Move, settleMove } from './jobs.ts'
import { type PageIndex, pagesAt } from './service-pages.ts'
import { notWritable, prepareWiki, repoOfWiki } from './service-repository.ts'
import * as store from './store.ts'
import type { WikiOwner, WikiRow } from './types.ts'

/** The state of a wiki before a change. */
export interface Now {
  readonly wiki: WikiRow
  readonly repo: Repo
  readonly tip: string | null
  readonly index: PageIndex
}

/** A decided change: the actions of the commit and the records that go with it. */
export interface Change<T> {
  readonly actions: readonly CommitAction[]
  readonly message: string
  readonly result: T
  /** Runs in the transaction that records the commit. */
  record?(commit: string, now: Now): void
}

/**
 * Makes one commit in an owner's wiki under the write lock: `decide` sees exactly the state that the commit is based
 * on. A change without effect makes no commit. Passes on errors of `decide`; throws 403 while the wiki is read-only,
 * and 400 for paths that git refuses.
 */
export async function commitTo<T>(
  ctx: Ctx,
  owner: WikiOwner,
  branch: string | undefined,
  decide: (now: Now) => Change<T> | Promise<Change<T>>,
): Promise<T> {
  const { id } = await prepareWiki(ctx, owner)
  const wiki = store.byId(ctx.db, id)
  if (!wiki) throw fail('conflict', 'The wiki no longer exists.')
  const repo = repoOfWiki(ctx, wiki)
  try {
    return await withWriteLock(repo, () => commitAs(ctx, { wiki, repo, branch }, decide))
  } catch (error) {
    if (error instanceof GitActionError || error instanceof GitInputError)
      throw invalid({ title: 'is not a name that git can store' })
    if (error instanceof GitRefError) throw fail('conflict', error.message)
    throw translateGitError(ctx, error)
  }
}

async function commitAs<T>(
  ctx: Ctx,
  { wiki, repo, branch }: { wiki: WikiRow; repo: Repo; branch: string | undefined },
  decide: (now: Now) => Change<T> | Promise<Change<T>>,
): Promise<T> {
  // Checked under the lock: a move of the repository may have begun in the meantime.
  const problem = notWritable(ctx, store.byId(ctx.db, wiki.id) ?? wiki)
  if (problem) throw fail('forbidden', `403 Forbidden - ${problem}`)
  const name = branch ?? wiki.default_branch
  const tip = await branchTip(repo, name)
  const now = { wiki, repo, tip, index: await pagesAt(repo, tip) }
  const change = await decide(now)
  const person = committerOf(ctx)
  const commit = await createCommit(repo, tip, change.actions, {
    parents: tip === null ? [] : [tip],
    message: change.message,
    author: person,
    committer: person,
  })
  if (tip !== null && (await rootTree(repo, tip)) === commit.tree_id) return change.result
  await move(ctx, now, { ref: `refs/heads/${name}`, old: tip, new: commit.id }, change)
  return change.result
}

/** Moves the branch. The records are written in any case: here, or by the job after a crash. */
async function move<T>(ctx: Ctx, now: Now, ref: RefUpdate, change: Change<T>): Promise<void> {
  const changes = [{ ref: ref.ref, old: ref.old ?? null, new: ref.new }]
  const moved: Move = { wiki_id: now.wiki.id, actor_id: ctx.actor.id, changes, moved_at: ctx.now }
  enqueue(ctx, settleMove, moved, { delay: LOOK_AFTER_MS })
  try {
    await updateRefs(now.repo, [ref])
  } catch (error) {
    withdraw(ctx, settleMove, moved)
    throw error
  }
  tx(ctx.db, () => {
    if (!withdraw(ctx, settleMove, moved)) return
    store.touch(ctx.db, now.wiki.id, ctx.now)
    change.record?.(ref.new!, now)
  })
}
