import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { withWriteLock, writeHead } from '../../git/repository.ts'
import { branchTip } from '../../git/revisions.ts'
import type { Repo } from '../../git/types.ts'
import { job, withdraw } from '../../jobs/job.ts'
import { WikiPushed } from './events.ts'
import { ownerIds } from './events-owner.ts'
import { pagesAt, type PageIndex, type PageFile } from './pages.ts'
import { repoOfWiki } from './repository.ts'
import { requestSize } from './size.ts'
import * as store from './store.ts'
import type { WikiRow } from './wiki.ts'

/** When a change that nobody recorded is looked after: git has long moved the branch by then, or never will. */
export const LOOK_AFTER_MS = 60_000
/** Pages that a push tells of by name. */
const MAX_TOLD = 100

const change = { ref: z.string(), old: z.string().nullable(), new: z.string().nullable() }

/** A change of branches that git is about to make, as its job has it. */
export interface Move {
  readonly wiki_id: number
  readonly actor_id: number | null
  readonly changes: { ref: string; old: string | null; new: string | null }[]
  readonly moved_at: string
}

/**
 * Looks after a change that was announced and never recorded, because the instance was killed in between. One that was
 * recorded has taken its job with it.
 */
export const settleMove = job(
  'wikis.settle_move',
  {
    args: {
      wiki_id: z.number(),
      actor_id: z.number().nullable(),
      changes: z.array(z.object(change)),
      moved_at: z.string(),
    },
    resumes: true,
  },
  async (ctx, move) => {
    const wiki = store.byId(ctx.db, move.wiki_id)
    if (!wiki) return
    const repo = repoOfWiki(ctx, wiki)
    await withWriteLock(repo, async () => {
      const tips = await Promise.all(move.changes.map(({ ref }) => branchTip(repo, branchOf(ref))))
      await settle(
        ctx,
        move,
        move.changes.filter((one, index) => tips[index] === one.new),
      )
    })
  },
)

function branchOf(ref: string): string {
  return ref.replace(/^refs\/heads\//, '')
}

/** Records a push under the write lock: the pages, the event and the end of its job, in one transaction. */
export async function settle(ctx: Ctx, move: Move, happened: Move['changes']): Promise<void> {
  const known = store.byId(ctx.db, move.wiki_id)
  const moved = happened.filter((one) => one.old !== one.new)
  const repo = known && repoOfWiki(ctx, known)
  const branch = known && repo && moved.length > 0 ? await branchAfter(repo, known, moved) : undefined
  const main = moved.find(({ ref }) => ref === `refs/heads/${branch}`)
  const touched = repo && main ? await touchedPages(repo, main.old, main.new) : []
  tx(ctx.db, () => {
    if (!withdraw(ctx, settleMove, move) || branch === undefined) return
    const wiki = store.byId(ctx.db, move.wiki_id)
    // Deleted meanwhile; nobody is left to be told.
    if (!wiki) return
    if (branch !== wiki.default_branch) store.setBranch(ctx.db, wiki.id, branch)
    store.touch(ctx.db, wiki.id, ctx.now)
    requestSize(ctx, wiki.id, 'push')
    const pages = recordPages(ctx, wiki, touched)
    const newest = main ?? moved.find((one) => one.new !== null)
    if (!newest?.new) return
    const who = { ...ownerIds(wiki), actor_id: move.actor_id }
    publish(ctx, WikiPushed, { ...who, before: newest.old, after: newest.new, pages })
  })
}

/** The branch that pages are read from: the first that is pushed, where there was none. */
async function branchAfter(repo: Repo, wiki: WikiRow, moved: Move['changes']): Promise<string> {
  const { default_branch } = wiki
  if ((await branchTip(repo, default_branch)) !== null) return default_branch
  const first = moved.find((one) => one.old === null && one.new !== null)
  if (!first) return default_branch
  const branch = branchOf(first.ref)
  await writeHead(repo, branch)
  return branch
}

/** A page that a push changed. */
interface Touched {
  readonly action: 'created' | 'updated' | 'deleted'
  readonly page: PageFile
  /** What it was called before. */
  readonly was?: PageFile
}

/** Pages in which two commits differ; one whose text appears under another name was renamed. */
async function touchedPages(repo: Repo, from: string | null, to: string | null): Promise<Touched[]> {
  const [before, after] = await Promise.all([pagesAt(repo, from), pagesAt(repo, to)])
  const gone = missingIn(after, before)
  const created = missingIn(before, after)
  const byText = new Map(gone.map((page) => [page.id, page]))
  const renamed = new Set<PageFile>()
  const fresh = created.map((page): Touched => {
    const was = byText.get(page.id)
    if (!was || renamed.has(was)) return { action: 'created', page }
    renamed.add(was)
    return { action: 'updated', page, was }
  })
  const changed = after.pages
    .filter((page) => (before.exactly(page.slug)?.id ?? page.id) !== page.id)
    .map((page): Touched => ({ action: 'updated', page }))
  const deleted = gone
    .filter((page) => !renamed.has(page))
    .map((page): Touched => ({ action: 'deleted', page }))
  return [...fresh, ...changed, ...deleted]
}

/** Pages of one commit that another one does not have. */
function missingIn(index: PageIndex, other: PageIndex): PageFile[] {
  return other.pages.filter((page) => !index.exactly(page.slug))
}

/** Rows of the pages that a push touched; the first of them are told. */
function recordPages(ctx: Ctx, wiki: WikiRow, touched: readonly Touched[]) {
  const told = touched.slice(0, MAX_TOLD).map(({ action, page, was }) => {
    const { id } = store.pageFor(ctx.db, wiki.id, was ?? page, ctx.now)
    if (was) store.renamePage(ctx.db, id, wiki.id, page, ctx.now)
    if (action === 'deleted') store.removePage(ctx.db, id)
    return { wiki_page_id: id, action, slug: page.slug, title: page.title, format: page.format }
  })
  for (const { action, page } of touched.slice(MAX_TOLD))
    if (action === 'deleted') store.removeSlug(ctx.db, wiki.id, page.slug)
  return told
}
