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
import { SETTLE_DELAY_MS, type Move, settleMove } from './jobs.ts'
import { pagesAt, type WikiState } from './service-pages.ts'
import { notWritable, prepareWiki, repoOfWiki } from './service-repository.ts'
import * as store from './store.ts'
import type { WikiOwner, WikiRow } from './types.ts'

/** A change: the actions of its commit, and the rows to write with it. */
export interface Change<T> {
  readonly actions: readonly CommitAction[]
  readonly message: string
  readonly result: T
  /** Runs in the transaction that records the commit. */
  record?(commit: string, state: WikiState): void
}

/**
 * Makes one commit in an owner's wiki. `decide` runs under the write lock, so it sees the state that the commit is
 * based on. A change without effect makes no commit. Throws the errors of `decide`, 403 while the wiki is read-only,
 * and 400 for paths that git refuses.
 */
export async function commitTo<T>(
  ctx: Ctx,
  owner: WikiOwner,
  branch: string | undefined,
  decide: (state: WikiState) => Change<T> | Promise<Change<T>>,
): Promise<T> {
  const { id } = await prepareWiki(ctx, owner)
  const wiki = store.byId(ctx.db, id)
  if (!wiki) throw fail('conflict', 'The wiki no longer exists.')
  const repo = repoOfWiki(ctx, wiki)
  try {
    return await withWriteLock(repo, () => commitUnderLock(ctx, { wiki, repo, branch }, decide))
  } catch (error) {
    if (error instanceof GitActionError || error instanceof GitInputError)
      throw invalid({ title: 'is not a name that git can store' })
    if (error instanceof GitRefError) throw fail('conflict', error.message)
    throw translateGitError(ctx, error)
  }
}

async function commitUnderLock<T>(
  ctx: Ctx,
  { wiki, repo, branch }: { wiki: WikiRow; repo: Repo; branch: string | undefined },
  decide: (state: WikiState) => Change<T> | Promise<Change<T>>,
): Promise<T> {
  // Checked under the lock, because a storage move may have started in the meantime.
  const problem = notWritable(ctx, store.byId(ctx.db, wiki.id) ?? wiki)
  if (problem) throw fail('forbidden', `403 Forbidden - ${problem}`)
  const name = branch ?? wiki.default_branch
  const tip = await branchTip(repo, name)
  const state = { wiki, repo, tip, index: await pagesAt(repo, tip) }
  const change = await decide(state)
  const identity = committerOf(ctx)
  const commit = await createCommit(repo, tip, change.actions, {
    parents: tip === null ? [] : [tip],
    message: change.message,
    author: identity,
    committer: identity,
  })
  if (tip !== null && (await rootTree(repo, tip)) === commit.tree_id) return change.result
  await moveBranch(ctx, state, { ref: `refs/heads/${name}`, old: tip, new: commit.id }, change)
  return change.result
}

/** Moves the branch and writes the rows of the change. After a crash in between, `settleMove` writes them. */
async function moveBranch<T>(ctx: Ctx, state: WikiState, ref: RefUpdate, change: Change<T>): Promise<void> {
  const changes = [{ ref: ref.ref, old: ref.old ?? null, new: ref.new }]
  const move: Move = { wiki_id: state.wiki.id, actor_id: ctx.actor.id, changes, moved_at: ctx.now }
  enqueue(ctx, settleMove, move, { delay: SETTLE_DELAY_MS })
  try {
    await updateRefs(state.repo, [ref])
  } catch (error) {
    withdraw(ctx, settleMove, move)
    throw error
  }
  tx(ctx.db, () => {
    if (!withdraw(ctx, settleMove, move)) return
    store.touch(ctx.db, state.wiki.id, ctx.now)
    change.record?.(ref.new!, state)
  })
}
