import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { packRepository } from '../../git/upkeep/collect-garbage.ts'
import { countObjects, withWriteLock, writeHead } from '../../git/upkeep/repository.ts'
import { branchTip } from '../../git/read/revisions.ts'
import { sweepRepository } from '../../git/upkeep/stale-locks.ts'
import type { Repo } from '../../git/types.ts'
import { enqueue, job, type Job, withdraw } from '../../jobs/job.ts'
import { projectById, updateProjectRow } from '../projects/index.ts'
import { WikiPushed } from './events.ts'
import { type PageFile, type PageIndex, pagesAt } from './service-pages.ts'
import { notWritable, repoOfWiki } from './service-repository.ts'
import * as store from './store.ts'
import type { WikiRow } from './types.ts'

/** Delay of `settleMove`, in milliseconds. Git has finished by then. */
export const SETTLE_DELAY_MS = 60_000

/** Maximum number of pages in the event of a push. */
const MAX_ANNOUNCED = 100

const change = { ref: z.string(), old: z.string().nullable(), new: z.string().nullable() }

/** A change of branches: the arguments of `settleMove`. */
export interface Move {
  readonly wiki_id: number
  readonly actor_id: number | null
  readonly changes: { ref: string; old: string | null; new: string | null }[]
  readonly moved_at: string
}

/**
 * Records an announced change if the instance was killed before it did so. Recording a change withdraws this job.
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
        move.changes.filter((entry, index) => tips[index] === entry.new),
      )
    })
  },
)

function branchOf(ref: string): string {
  return ref.replace(/^refs\/heads\//, '')
}

/** Records a push in one transaction: pages, event and the withdrawal of the job. The caller holds the write lock. */
export async function settle(ctx: Ctx, move: Move, applied: Move['changes']): Promise<void> {
  const wiki = store.byId(ctx.db, move.wiki_id)
  const moved = applied.filter((entry) => entry.old !== entry.new)
  const repo = wiki && repoOfWiki(ctx, wiki)
  const branch = wiki && repo && moved.length > 0 ? await defaultBranchAfter(repo, wiki, moved) : undefined
  const mainMove = moved.find(({ ref }) => ref === `refs/heads/${branch}`)
  const pageChanges = repo && mainMove ? await changedPages(repo, mainMove.old, mainMove.new) : []
  tx(ctx.db, () => {
    if (!withdraw(ctx, settleMove, move) || branch === undefined) return
    const wiki = store.byId(ctx.db, move.wiki_id)
    // The wiki was deleted in the meantime.
    if (!wiki) return
    if (branch !== wiki.default_branch) store.setBranch(ctx.db, wiki.id, branch)
    store.touch(ctx.db, wiki.id, ctx.now)
    requestSize(ctx, wiki.id, 'push')
    const pages = recordPages(ctx, wiki, pageChanges)
    const newest = mainMove ?? moved.find((entry) => entry.new !== null)
    if (!newest?.new) return
    const ids = { ...ownerIds(wiki), actor_id: move.actor_id }
    publish(ctx, WikiPushed, { ...ids, before: newest.old, after: newest.new, pages })
  })
}

/** The default branch after a push. In an empty wiki, the first pushed branch becomes it. */
async function defaultBranchAfter(repo: Repo, wiki: WikiRow, moved: Move['changes']): Promise<string> {
  const { default_branch } = wiki
  if ((await branchTip(repo, default_branch)) !== null) return default_branch
  const first = moved.find((entry) => entry.old === null && entry.new !== null)
  if (!first) return default_branch
  const branch = branchOf(first.ref)
  await writeHead(repo, branch)
  return branch
}

/** A page that a push changed. */
interface PageChange {
  readonly action: 'created' | 'updated' | 'deleted'
  readonly page: PageFile
  /** The page before it was renamed. */
  readonly previous?: PageFile
}

/** The pages that differ between two commits. A new page with the text of a removed one counts as renamed. */
async function changedPages(repo: Repo, from: string | null, to: string | null): Promise<PageChange[]> {
  const [before, after] = await Promise.all([pagesAt(repo, from), pagesAt(repo, to)])
  const removed = missingIn(after, before)
  const created = missingIn(before, after)
  const byText = new Map(removed.map((page) => [page.id, page]))
  const renamed = new Set<PageFile>()
  const createdOrRenamed = created.map((page): PageChange => {
    const previous = byText.get(page.id)
    if (!previous || renamed.has(previous)) return { action: 'created', page }
    renamed.add(previous)
    return { action: 'updated', page, previous }
  })
  const changed = after.pages
    .filter((page) => (before.findExact(page.slug)?.id ?? page.id) !== page.id)
    .map((page): PageChange => ({ action: 'updated', page }))
  const deleted = removed
    .filter((page) => !renamed.has(page))
    .map((page): PageChange => ({ action: 'deleted', page }))
  return [...createdOrRenamed, ...changed, ...deleted]
}

/** Pages of one commit that are missing in another. */
function missingIn(index: PageIndex, other: PageIndex): PageFile[] {
  return other.pages.filter((page) => !index.findExact(page.slug))
}

/** Updates the rows of changed pages. Returns the first `MAX_ANNOUNCED` for the event. */
function recordPages(ctx: Ctx, wiki: WikiRow, pageChanges: readonly PageChange[]) {
  const announced = pageChanges.slice(0, MAX_ANNOUNCED).map(({ action, page, previous }) => {
    const { id } = store.pageFor(ctx.db, wiki.id, previous ?? page, ctx.now)
    if (previous) store.renamePage(ctx.db, id, wiki.id, page, ctx.now)
    if (action === 'deleted') store.removePage(ctx.db, id)
    return { wiki_page_id: id, action, slug: page.slug, title: page.title, format: page.format }
  })
  for (const { action, page } of pageChanges.slice(MAX_ANNOUNCED))
    if (action === 'deleted') store.removeSlug(ctx.db, wiki.id, page.slug)
  return announced
}

/** Limits for packing, the same as for project repositories. */
const LOOSE_OBJECTS = 2000
const PACKS = 20

/** Delay of the size job after a push, in milliseconds: pushes often come in a row. */
const AFTER_PUSH_MS = 1000

/** Computes the size of a wiki for the statistics of its owner, and packs the repository if necessary. */
export const updateSize = job('wikis.update_size', { args: { wiki_id: z.number() } }, async (ctx, args) => {
  const wiki = store.byId(ctx.db, args.wiki_id)
  if (wiki?.repository_state !== 'ready') return
  const repo = repoOfWiki(ctx, wiki)
  const { bytes, loose, packs } = await countObjects(repo)
  tx(ctx.db, () => {
    store.setSize(ctx.db, wiki.id, bytes)
    const project = wiki.project_id === null ? undefined : projectById(ctx.db, wiki.project_id)
    if (project) updateProjectRow(ctx.db, project.id, { wiki_size: bytes })
  })
  if ((loose < LOOSE_OBJECTS && packs < PACKS) || notWritable(ctx, wiki)) return
  await sweepRepository(repo)
  await packRepository(repo)
})

/** Enqueues the size job, unless one is already waiting. */
export function requestSize(ctx: Ctx, wikiId: number, source?: 'push'): void {
  const key = `wikis.size:${wikiId}`
  enqueue(ctx, updateSize, { wiki_id: wikiId }, { key, once: key, delay: source ? AFTER_PUSH_MS : 0 })
}

/** The owner's id in events: exactly one of the two is set. */
export function ownerIds(wiki: { readonly project_id: number | null; readonly group_id: number | null }) {
  return {
    ...(wiki.project_id === null ? {} : { project_id: wiki.project_id }),
    ...(wiki.group_id === null ? {} : { group_id: wiki.group_id }),
  }
}

export const jobs: Job[] = [settleMove, updateSize]
