import type { Ctx } from '../../../ctx.ts'
import { enqueue, job } from '../../../jobs/job.ts'
import { addDays } from '../../../lib/clock.ts'
import { foldersOnDisk, removeContent, removeEmptyFolder, writtenBefore } from './content.ts'
import * as store from './store.ts'

const BATCH = 500

/** Takes files off the disk whose artifacts are gone. */
export const removeGoneFiles = job('ci.remove_gone_artifacts', { args: {} }, removeGone)

/** Asks for the files of removed artifacts to be taken off the disk; to be called in the transaction that removes them. */
export function requestRemoval(ctx: Ctx): void {
  enqueue(ctx, removeGoneFiles, {}, { key: 'ci.artifacts', once: 'ci.remove_gone_artifacts' })
}

/** Takes files off the disk whose artifacts are gone: nothing is removed before the change that let it go is committed. */
export async function removeGone(ctx: Pick<Ctx, 'db' | 'config'>): Promise<void> {
  for (;;) {
    const files = store.gone(ctx.db, BATCH)
    for (const file of files) await removeContent(ctx, file)
    const names = files.map((file) => file.stored_as)
    store.forget(ctx.db, names)
    if (files.length < BATCH) return
  }
}

/** Removes files that no artifact names and that are no upload of just now; called by the clock. */
export async function removeOrphans(ctx: Ctx): Promise<void> {
  for (const projectId of await foldersOnDisk(ctx)) {
    const names = await writtenBefore(ctx, projectId, addDays(ctx.now, -1))
    for (const stored_as of store.unknownOf(ctx.db, names))
      await removeContent(ctx, { project_id: projectId, stored_as })
    await removeEmptyFolder(ctx, projectId)
  }
}
