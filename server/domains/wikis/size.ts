import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { packRepository } from '../../git/collect-garbage.ts'
import { countObjects } from '../../git/repository.ts'
import { sweepRepository } from '../../git/stale-locks.ts'
import { enqueue, job } from '../../jobs/job.ts'
import { projectById, updateProjectRow } from '../projects/index.ts'
import { repoOfWiki, notWritable } from './repository.ts'
import * as store from './store.ts'

/** From here on packing pays, as it does for the code of projects. */
const LOOSE_OBJECTS = 2000
const PACKS = 20

/** Counting starts this long after a push: its client still reads the answer, and pushes often come in a row. */
const AFTER_PUSH_MS = 1000

/** Works out what a wiki takes on disk (the statistics of its owner show it), and packs it when that is due. */
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

/** Asks for the size of a wiki to be worked out; while one such request waits, another adds nothing. */
export function requestSize(ctx: Ctx, wikiId: number, source?: 'push'): void {
  const key = `wikis.size:${wikiId}`
  enqueue(ctx, updateSize, { wiki_id: wikiId }, { key, once: key, delay: source ? AFTER_PUSH_MS : 0 })
}
