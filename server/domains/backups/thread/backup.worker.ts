import { parentPort, workerData } from 'node:worker_threads'
import { statSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { BackupProblem, NOTICE, HEAD, FORMAT, DATABASE, sentenceOf, type Head } from '../archive/format.ts'
import { PinnedDatabase, UnusableDatabase } from '../../../db/pinned.ts'
import type { Task, Report, Step, Outcome, BackupTask } from './run-thread.ts'
import { unpack, verify } from './unpack.ts'
import { readArchive } from '../archive/read.ts'
import { type Source, writeArchive } from '../archive/write.ts'
import { Snapshot } from '../snapshot/take.ts'

interface Way {
  say(report: Report): void
  progress(step: Step, done: number, total: number): void
  /** Resolves once the instance has paused all writes. */
  isTime(): Promise<void>
}

/**
 * Makes a backup: holds one moment (the database by a read transaction, refs by reading them, files by links), then
 * writes the archive and reads it again while the instance goes on. Leaves only the file.
 */
async function backUp(task: BackupTask, way: Way): Promise<Outcome> {
  const database = new PinnedDatabase(task.database)
  const snapshot = new Snapshot(task.sources)
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
      app_version: task.app_version,
      schema: summary.schema,
      created_at: task.created_at,
      files: snapshot.files + 1,
      bytes: snapshot.bytes + statSync(copy).size,
      counts: { ...summary.counts, repositories },
      storages: task.sources.storages.map(({ name }) => name),
      notice: NOTICE,
    }
    const written = await write(task, way, { snapshot, copy, head })
    let done = 0
    const onBytes = (bytes: number): void => way.progress('verifying', (done += bytes), head.bytes)
    await readArchive(task.file, { passphrase: task.passphrase, onBytes })
    return { head, ...written }
  } catch (error) {
    rmSync(task.file, { force: true })
    throw error
  } finally {
    database.close()
    snapshot.remove()
  }
}

function write(
  { file, passphrase }: BackupTask,
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

/** Milliseconds between two reports of progress. */
const REPORT_MS = 250

const say = (report: Report): void => parentPort?.postMessage(report)

/** Reports progress at most every REPORT_MS, and at the end of a step. */
function progressReporter(): Way['progress'] {
  let reportedAt = 0
  return (step, done, total) => {
    const now = performance.now()
    if (now - reportedAt < REPORT_MS && done < total) return
    reportedAt = now
    say({ kind: 'progress', step, done, total })
  }
}

/** Resolves when the thread that started this one says that the moment has come. */
function momentCame(): Promise<void> {
  say({ kind: 'ready' })
  return new Promise((resolve) => parentPort?.once('message', () => resolve()))
}

async function carryOut(task: Task) {
  const progress = progressReporter()
  if (task.kind === 'backup') return backUp(task, { say, progress, isTime: momentCame })
  return task.kind === 'restore' ? unpack(task, progress) : verify(task, progress)
}

try {
  say({ kind: 'done', outcome: await carryOut(workerData as Task) })
} catch (error) {
  const expected = error instanceof BackupProblem || error instanceof UnusableDatabase
  const sentence = error instanceof UnusableDatabase ? error.message : sentenceOf(error)
  say({ kind: 'failed', sentence, stack: (error as Error).stack ?? '', expected })
}
parentPort?.close()
