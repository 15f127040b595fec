import { statSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { BackupProblem, NOTICE, HEAD, FORMAT, DATABASE, type Head } from '../archive/format.ts'
import { PinnedDatabase, UnusableDatabase } from '../../../db/pinned.ts'
import { progressReporter, serve } from '../../../threads/serve.ts'
import type { BackupTask, BackupWork, Outcome, Report, Step } from './run-thread.ts'
import { unpack, verify } from './unpack.ts'
import { readArchive } from '../archive/read.ts'
import { type EntrySource, writeArchive } from '../archive/write.ts'
import { Snapshot } from '../snapshot/take.ts'

interface MainThreadCalls {
  sendReport(report: Report): void
  progress(step: Step, done: number, total: number): void
  /** Resolves when the instance has paused all changes, with the file of the database if it is not that of the task. */
  mayCapture(): Promise<string | undefined>
}

/**
 * Creates a backup. Captures the database by a read transaction, refs by reading them, and files by links, all at the
 * same moment. Then writes and verifies the archive while the instance continues to work. Removes all temporary files.
 */
async function backUp(task: BackupTask, main: MainThreadCalls): Promise<Outcome> {
  const snapshot = new Snapshot(task.sources)
  let database: PinnedDatabase | undefined
  try {
    database = new PinnedDatabase((await main.mayCapture()) ?? task.database)
    database.pin()
    snapshot.readRefs()
    main.sendReport({ kind: 'pinned' })
    const { repositories } = snapshot
    main.progress('linking', 0, repositories)
    snapshot.link()
    main.sendReport({ kind: 'linked', copied: snapshot.copied })
    const copy = join(snapshot.folder, DATABASE)
    main.progress('database', 0, 1)
    await database.copyTo(copy)
    const summary = database.summary()
    // Lets SQLite truncate the write-ahead log again.
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
    const archive = await write(task, main, { snapshot, copy, head })
    let done = 0
    const onBytes = (bytes: number): void => main.progress('verifying', (done += bytes), head.bytes)
    await readArchive(task.file, { passphrase: task.passphrase, onBytes })
    return { head, ...archive }
  } catch (error) {
    rmSync(task.file, { force: true })
    throw error
  } finally {
    database?.close()
    snapshot.remove()
  }
}

function write(
  { file, passphrase }: BackupTask,
  main: MainThreadCalls,
  { snapshot, copy, head }: { snapshot: Snapshot; copy: string; head: Head },
): Promise<{ size: number; sha256: string }> {
  const mtime = Math.trunc(Date.parse(head.created_at) / 1000)
  const text = Buffer.from(`${JSON.stringify(head, null, 2)}\n`)
  function* sources(): Generator<EntrySource> {
    yield { entry: { name: HEAD, size: text.length, mode: 0o600, mtime }, content: { bytes: text } }
    const entry = { name: DATABASE, size: statSync(copy).size, mode: 0o600, mtime }
    yield { entry, content: { file: copy } }
    yield* snapshot.sources()
  }
  let done = 0
  const onBytes = (bytes: number): void => main.progress('writing', (done += bytes), head.bytes)
  return writeArchive(sources(), { file, passphrase, spool: join(snapshot.folder, 'checksums'), onBytes })
}

type Progress = Omit<Extract<Report, { kind: 'progress' }>, 'kind'>

serve<BackupWork>(
  (task, main) => {
    const report = progressReporter((progress: Progress) => main.report({ kind: 'progress', ...progress }))
    const progress: MainThreadCalls['progress'] = (step, done, total) => report({ step, done, total })
    if (task.kind === 'backup')
      return backUp(task, { sendReport: main.report, progress, mayCapture: () => main.ask('ready') })
    return task.kind === 'restore' ? unpack(task, progress) : verify(task, progress)
  },
  { problems: [BackupProblem, UnusableDatabase] },
)
