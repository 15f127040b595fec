import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { withWriteLock } from '../../git/upkeep/repository.ts'
import { enqueue, job } from '../../jobs/job.ts'
import { projectById, repoOf } from '../projects/index.ts'
import type { RefChange } from './checks/check.ts'
import { settle, whatHappened } from './refs-updated.ts'
import * as store from './store.ts'
import type { JournalRow } from './store.ts'

/** A git process of a killed instance may live on for a moment and still finish its work. */
const LOOK_AGAIN_MS = 60_000

/**
 * Takes up what an instance left unfinished when it was killed: refs that moved without the event being told are told
 * now. To be called at start, before anybody is served. Where nothing moved, the repository is looked at once more a
 * minute later.
 */
export async function recoverJournal(ctx: Ctx): Promise<void> {
  for (const row of store.journal(ctx.db)) {
    try {
      await takeUp(ctx, row, { last: false })
    } catch (error) {
      // One damaged repository must not keep the instance from starting.
      ctx.log.error(
        { err: error, project_id: row.project_id },
        'unfinished ref updates could not be compared',
      )
      enqueue(ctx, lookAgain, { id: row.id }, { delay: LOOK_AGAIN_MS, once: `ref_journal:${row.id}` })
    }
  }
}

/** Compares one leftover of the journal with the repository, for the last time. */
export const lookAgain = job(
  'repository.recover_journal',
  { args: { id: z.number() } },
  async (ctx, { id }) => {
    const row = store.journalRow(ctx.db, id)
    if (row) await takeUp(ctx, row, { last: true })
  },
)

async function takeUp(ctx: Ctx, row: JournalRow, { last }: { last: boolean }): Promise<void> {
  const project = projectById(ctx.db, row.project_id)
  if (!project) return store.removeJournal(ctx.db, row)
  const repo = repoOf(ctx, project)
  await withWriteLock(repo, async () => {
    // While we waited for the lock, the same push may have been made again and recorded.
    if (!store.journalRow(ctx.db, row.id)) return
    const happened = await whatHappened(repo, JSON.parse(row.updates) as RefChange[])
    if (happened.length > 0 || last) await settle(ctx, row, happened)
    else enqueue(ctx, lookAgain, { id: row.id }, { delay: LOOK_AGAIN_MS, once: `ref_journal:${row.id}` })
  })
}
