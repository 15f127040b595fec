import { rm } from 'node:fs/promises'

import { Reader } from '../../../../../db/reader.ts'
import { writeArchive } from '../../../archive/write.ts'
import type { Source } from '../../../relations/relation.ts'
import { ThreadCode } from './code-reader.ts'
import { bytesOf, entriesOf, listFiles, listOf } from './files.ts'
import type { ArchiveOrder, ExportReport } from './messages.ts'
import { writeTree } from './write-tree.ts'

/** How a thread speaks with the main one. */
export interface Way {
  say(report: ExportReport): void
  /** Resolves when the bundles lie in the folder. */
  bundles(): Promise<void>
}

/**
 * Writes the archive of a project: everything of one moment of the database, then what lies in files. Memory does not grow with the
 * project.
 */
export async function writeProject(
  order: ArchiveOrder,
  way: Way,
): Promise<{ readonly size: number; readonly records: number }> {
  const tell =
    (step: 'tree' | 'packing') =>
    (done: number, total: number): void =>
      way.say({ kind: 'progress', step, done, total })
  const records = await reading(order, async (source) => {
    way.say({ kind: 'pinned' })
    await listFiles(order, source.db)
    return writeTree(source, order.folder, { description: order.description, tell: tell('tree') })
  })
  await way.bundles()
  const total = await bytesOf(order)
  let done = 0
  const onBytes = (bytes: number): void => tell('packing')((done += bytes), total)
  const { size } = await writeArchive(order.target, entriesOf(order), { mtime: new Date(order.now), onBytes })
  await rm(listOf(order), { force: true })
  return { size, records }
}

async function reading<T>(
  { database, projectId, code, url, includesGroupMembers }: ArchiveOrder,
  work: (source: Source) => Promise<T>,
): Promise<T> {
  const db = new Reader(database)
  const reader = new ThreadCode(code)
  try {
    db.pin()
    const owner = { kind: 'project', id: projectId } as const
    const result = await work({ db, owner, code: reader, url, includesGroupMembers })
    // The log of the database may be cut back again. After a failure the thread ends, and the connection with it.
    db.close()
    return result
  } finally {
    await reader.close()
  }
}
