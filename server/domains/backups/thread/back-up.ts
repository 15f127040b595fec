import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { PinnedDatabase } from '../../../db/pinned.ts'
import { DATABASE, FORMAT, HEAD, NOTICE, type Head } from '../archive/format.ts'
import { readArchive } from '../archive/read.ts'
import { writeArchive, type Source } from '../archive/write.ts'
import { Snapshot } from '../snapshot/take.ts'
import type { BackupOrder, Outcome, Report, Step } from './messages.ts'

interface Way {
  say(report: Report): void
  progress(step: Step, done: number, total: number): void
  /** Resolves once nobody writes any more. */
  isTime(): Promise<void>
}

/**
 * Makes a backup: holds the moment (the database by a transaction that reads, refs by reading them, files by links), then
 * writes and reads again while everybody goes on. Leaves nothing behind but the file.
 */
export async function backUp(order: BackupOrder, way: Way): Promise<Outcome> {
  const database = new PinnedDatabase(order.database)
  const snapshot = new Snapshot(order.places)
  try {
    await way.isTime()
    database.pin()
    snapshot.readRefs()
    way.say({ kind: 'pinned' })
    const { repositories } = snapshot
    way.progress('linking', 0, repositories)
    snapshot.link()
    way.say({ kind: 'linked', copied: snapshot.copied })
    const copy = join(snapshot.folder, DATABASE)
    way.progress('database', 0, 1)
    await database.copyTo(copy)
    const summary = database.summary()
    // The log of the database may be cut back again.
    database.close()
    const head: Head = {
      format: FORMAT,
      app_version: order.app_version,
      schema: summary.schema,
      created_at: order.created_at,
      files: snapshot.files + 1,
      bytes: snapshot.bytes + statSync(copy).size,
      counts: { ...summary.counts, repositories },
      storages: order.places.storages.map(({ name }) => name),
      notice: NOTICE,
    }
    const written = await write(order, way, { snapshot, copy, head })
    let done = 0
    const onBytes = (bytes: number): void => way.progress('verifying', (done += bytes), head.bytes)
    await readArchive(order.file, { passphrase: order.passphrase, onBytes })
    return { head, ...written }
  } catch (error) {
    rmSync(order.file, { force: true })
    throw error
  } finally {
    database.close()
    snapshot.remove()
  }
}

function write(
  { file, passphrase }: BackupOrder,
  way: Way,
  { snapshot, copy, head }: { snapshot: Snapshot; copy: string; head: Head },
): Promise<{ size: number; sha256: string }> {
  const mtime = Math.trunc(Date.parse(head.created_at) / 1000)
  const text = Buffer.from(`${JSON.stringify(head, null, 2)}\n`)
  function* sources(): Generator<Source> {
    yield { entry: { name: HEAD, size: text.length, mode: 0o600, mtime }, content: { bytes: text } }
    const entry = { name: DATABASE, size: statSync(copy).size, mode: 0o600, mtime }
    yield { entry, content: { file: copy } }
    yield* snapshot.sources()
  }
  let done = 0
  const onBytes = (bytes: number): void => way.progress('writing', (done += bytes), head.bytes)
  return writeArchive(sources(), { file, passphrase, spool: join(snapshot.folder, 'checksums'), onBytes })
}
