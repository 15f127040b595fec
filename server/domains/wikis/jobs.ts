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

/** Delay of the job that settles an unrecorded change, in milliseconds: git has finished by then. */
export const LOOK_AFTER_MS = 60_000

/** Maximum number of pages in the event of a push. */
const MAX_ANNOUNCED = 100

const change = { ref: z.string(), old: z.string().nullable(), new: z.string().nullable() }

/** A change of branches, as arguments of its job. */
export interface Move {
  readonly wiki_id: number
  readonly actor_id: number | null
  readonly changes: { ref: string; old: string | null; new: string | null }[]
  readonly moved_at: string
}

/**
 * Settles an announced change that was not recorded because the instance was killed. Recording a change removes its
 * job.
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

/** Records a push under the write lock, in one transaction: pages, event and the end of the job. */
export async function settle(ctx: Ctx, move: Move, applied: Move['changes']): Promise<void> {
  const wiki = store.byId(ctx.db, move.wiki_id)
  const moved = applied.filter((entry) => entry.old !== entry.new)
  const repo = wiki && repoOfWiki(ctx, wiki)
  const branch = wiki && repo && moved.length > 0 ? await branchAfter(repo, wiki, moved) : undefined
  const main = moved.find(({ ref }) => ref === `refs/heads/${branch}`)
  const touched = repo && main ? await touchedPages(repo, main.old, main.new) : []
  tx(ctx.db, () => {
    if (!withdraw(ctx, settleMove, move) || branch === undefined) return
    const wiki = store.byId(ctx.db, move.wiki_id)
    // Deleted in the meantime.
    if (!wiki) return
    if (branch !== wiki.default_branch) store.setBranch(ctx.db, wiki.id, branch)
    store.touch(ctx.db, wiki.id, ctx.now)
    requestSize(ctx, wiki.id, 'push')
    const pages = recordPages(ctx, wiki, touched)
    const newest = main ?? moved.find((entry) => entry.new !== null)
    if (!newest?.new) return
    const ids = { ...ownerIds(wiki), actor_id: move.actor_id }
    publish(ctx, WikiPushed, { ...ids, before: newest.old, after: newest.new, pages })
  })
}

/** The branch of the pages: the first pushed one for an empty wiki. */
async function branchAfter(repo: Repo, wiki: WikiRow, moved: Move['changes']): Promise<string> {
  const { default_branch } = wiki
  if ((await branchTip(repo, default_branch)) !== null) return default_branch
  const first = moved.find((entry) => entry.old === null && entry.new !== null)
  if (!first) return default_branch
  const branch = branchOf(first.ref)
  await writeHead(repo, branch)
  return branch
}

/** A page that a push changed. */
interface Touched {
  readonly action: 'created' | 'updated' | 'deleted'
  readonly page: PageFile
  /** The page before it was renamed. */
  readonly was?: PageFile
}

/** The pages that differ between two commits. The same text under another name is a renamed page. */
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

/** Pages of one commit that are missing in another. */
function missingIn(index: PageIndex, other: PageIndex): PageFile[] {
  return other.pages.filter((page) => !index.exactly(page.slug))
}

/** Updates the rows of changed pages. Returns the first ones for the event. */
function recordPages(ctx: Ctx, wiki: WikiRow, touched: readonly Touched[]) {
  const announced = touched.slice(0, MAX_ANNOUNCED).map(({ action, page, was }) => {
    const { id } = store.pageFor(ctx.db, wiki.id, was ?? page, ctx.now)
    if (was) store.renamePage(ctx.db, id, wiki.id, page, ctx.now)
    if (action === 'deleted') store.removePage(ctx.db, id)
    return { wiki_page_id: id, action, slug: page.slug, title: page.title, format: page.format }
  })
  for (const { action, page } of touched.slice(MAX_ANNOUNCED))
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

/** Requests the size job. A second request changes nothing while one is waiting. */
export function requestSize(ctx: Ctx, wikiId: number, source?: 'push'): void {
  const key = `wikis.size:${wikiId}`
  enqueue(ctx, updateSize, { wiki_id: wikiId }, { key, once: key, delay: source ? AFTER_PUSH_MS : 0 })
}

/** The owner's id in events: exactly one of the two is set. */
export function ownerIds(of: { readonly project_id: number | null; readonly group_id: number | null }) {
  return {
    ...(of.project_id === null ? {} : { project_id: of.project_id }),
    ...(of.group_id === null ? {} : { group_id: of.group_id }),
  }
}

export const jobs: Job[] = [settleMove, updateSize]
