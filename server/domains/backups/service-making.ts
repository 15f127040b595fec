import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'

import { dataPaths } from '../../config.ts'
import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { readableFile, type ReadableFile } from '../../db/other-connections.ts'
import { publish } from '../../events/publish.ts'
import { isoTime } from '../../lib/clock.ts'
import { moveDurably, createDurableFolder } from '../../lib/files/durable-file.ts'
import { GateBusy, removalsOf, type Gate } from '../../lib/gate.ts'
import { BackupProblem, sentenceOf } from './archive/format.ts'
import { BackupChanged } from './events.ts'
import { PARTIAL_SUFFIX, backupFolder, nameFor, sourcesOf, removeOlder } from './service-files.ts'
import { clearSnapshots } from './snapshot/take.ts'
import * as store from './store.ts'
import { type Outcome, ThreadFailure, runThread } from './thread/run-thread.ts'
import { job } from '../../jobs/job.ts'
import { cancelable, RunInterrupted } from '../../jobs/runs.ts'

/** A restore that is being prepared. */
export interface RestoreProgress {
  readonly backup_id: number
  state: 'running' | 'failed' | 'restarting'
  step: string
  done: number
  total: number
  error: string | null
}

/** State that is never stored: passphrases, and the restore that is being prepared. */
interface RunningBackups {
  /** Passphrases of waiting and running backups, by ID of the backup. */
  readonly passphrases: Map<number, string>
  restore: RestoreProgress | undefined
}

/** The state of the backups of this instance. */
export function runningOf({ db }: Pick<Ctx, 'db'>): RunningBackups {
  return db.instance('backups.running', (): RunningBackups => ({
    passphrases: new Map(),
    restore: undefined,
  }))
}

/** The name of the run that creates a backup, for `cancelRun`. */
export const runName = (id: number): string => `backup:${id}`

/** Updates a backup and publishes the change; does nothing when its row is deleted. */
export function changeBackup(
  ctx: Ctx,
  id: number,
  change: Partial<Omit<store.BackupRow, 'id' | 'updated_at'>>,
): void {
  tx(ctx.db, () => {
    const before = store.byId(ctx.db, id)
    if (!before) return
    store.update(ctx.db, id, { ...change, updated_at: ctx.now })
    const state = change.state ?? before.state
    publish(ctx, BackupChanged, { backup_id: id, state, actor_id: before.asked_by_id })
  })
}

/** A context with the current time. A backup takes long, and `ctx.now` of a job is the time of its start. */
export function withRunningClock(ctx: Ctx): Ctx {
  const start = Date.parse(ctx.now)
  const startedAt = performance.now()
  return {
    ...ctx,
    get now() {
      return isoTime(start + Math.trunc(performance.now() - startedAt))
    },
  }
}

/** How long one attempt waits for running changes, in milliseconds. New changes are delayed meanwhile. */
const GATE_TIMEOUT_MS = 5000

const MAX_ATTEMPTS = 4

/** Time between two attempts, in milliseconds, in which changes continue. */
const RETRY_DELAY_MS = 2000

/** A pause of all changes. */
interface Pause {
  /** Allows moves of refs again. */
  resumeRefs(): void
  /** Allows removals of files again. */
  resumeRemovals(): void
}

/**
 * Waits until no ref is being moved and no stored file is being removed, and delays new changes. Requests wait
 * meanwhile and do not fail. Throws BackupProblem after several failed attempts.
 */
async function pauseChanges(ctx: Pick<Ctx, 'git' | 'config'>): Promise<Pause> {
  const { writers, refs, removals } = ctx.git.gates
  const files = removalsOf(ctx.config)
  for (let attempt = 1; ; attempt++) {
    try {
      // Writers come first, because they move refs and remove files themselves and have to finish.
      const resumeRefs = await closeAll([writers, refs])
      const resumeRemovals = await closeAll([removals, files]).catch((error: unknown) => {
        resumeRefs()
        throw error
      })
      return { resumeRefs, resumeRemovals }
    } catch (error) {
      if (!(error instanceof GateBusy)) throw error
      if (attempt === MAX_ATTEMPTS)
        throw new BackupProblem('The repositories change all the time; please try again later.')
      await pause(RETRY_DELAY_MS)
    }
  }
}

/** Closes gates one after the other. Returns the function that opens all of them again. */
async function closeAll(gates: readonly Gate[]): Promise<() => void> {
  const releases: (() => void)[] = []
  const openAll = (): void => releases.forEach((release) => release())
  try {
    for (const gate of gates) releases.push(await gate.close(GATE_TIMEOUT_MS))
    return openAll
  } catch (error) {
    openAll()
    throw error
  }
}

/** Milliseconds between two updates of the progress. */
const UPDATE_MS = 1000
/** The maximum time that changes are delayed, in milliseconds, even on a slow disk. */
const MAX_HOLD_MS = 30_000

/**
 * Creates a requested backup and stores the result in its row. Never throws. Ignores a row that was canceled, or
 * that a restore brought back.
 */
export async function makeBackup(context: Ctx, id: number): Promise<void> {
  const ctx = withRunningClock(context)
  const row = store.byId(ctx.db, id)
  if (row?.state !== 'queued') return
  try {
    await cancelable(ctx, { name: runName(id) }, (signal) => performBackup(ctx, row, signal))
  } finally {
    runningOf(ctx).passphrases.delete(id)
  }
}

async function performBackup(ctx: Ctx, row: store.BackupRow, signal: AbortSignal): Promise<void> {
  const folder = backupFolder(ctx.config.dataDir)
  const name = nameFor(folder, ctx.config.version, ctx.now)
  const ownPath = store.outsidePath(row)
  const target = ownPath ?? join(folder, name)
  const partialFile =
    ownPath === null ? `${target}${PARTIAL_SUFFIX}` : join(dirname(target), name + PARTIAL_SUFFIX)
  changeBackup(ctx, row.id, { state: 'running', step: 'waiting', version: ctx.config.version })
  try {
    await createDurableFolder(dirname(target))
    const outcome = await runBackupThread(ctx, row, partialFile, signal)
    await moveDurably(partialFile, target)
    await recordSuccess(ctx, row, { file: ownPath === null ? name : null, outcome })
  } catch (error) {
    await rm(partialFile, { force: true })
    await clearSnapshots(sourcesOf(ctx))
    recordFailure(ctx, row, error)
  }
}

async function runBackupThread(
  ctx: Ctx,
  row: store.BackupRow,
  file: string,
  canceled: AbortSignal,
): Promise<Outcome> {
  const limit = new AbortController()
  let changesPause: Pause | undefined
  let timer: NodeJS.Timeout | undefined
  let updatedAt = 0
  let hasEnded = false
  let startedAt = 0
  let source: ReadableFile | undefined
  try {
    const task = {
      kind: 'backup',
      sources: sourcesOf(ctx),
      database: dataPaths(ctx.config.dataDir).database,
      file,
      passphrase: runningOf(ctx).passphrases.get(row.id),
      app_version: ctx.config.version,
      created_at: row.created_at,
    } as const
    return await runThread(task, {
      signal: AbortSignal.any([canceled, limit.signal]),
      onReady: async () => {
        startedAt = performance.now()
        const newPause = await pauseChanges(ctx)
        // If the thread has already ended, nothing else would end this pause.
        if (hasEnded) {
          newPause.resumeRefs()
          newPause.resumeRemovals()
          return undefined
        }
        changesPause = newPause
        source = readableFile(ctx.db, dataPaths(ctx.config.dataDir).tmp)
        timer = setTimeout(() => {
          limit.abort(new BackupProblem('Reading all refs took too long; nothing was backed up.'))
        }, MAX_HOLD_MS)
        return source.path
      },
      onPinned: () => {
        clearTimeout(timer)
        changesPause?.resumeRefs()
        ctx.log.info({ id: row.id, ms: millisecondsSince(startedAt) }, 'changes of refs waited for a backup')
      },
      onLinked: (copied) => {
        changesPause?.resumeRemovals()
        ctx.log.info(
          { id: row.id, ms: millisecondsSince(startedAt) },
          'removals of files waited for a backup',
        )
        if (copied > 0)
          ctx.log.warn({ copied }, 'files of a backup had to be copied: the disk has no hard links')
      },
      onProgress: (step, done, total) => {
        const now = performance.now()
        if (now - updatedAt < UPDATE_MS) return
        updatedAt = now
        changeBackup(ctx, row.id, { step, done, total })
      },
    })
  } finally {
    hasEnded = true
    clearTimeout(timer)
    changesPause?.resumeRefs()
    changesPause?.resumeRemovals()
    source?.release()
  }
}

function millisecondsSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}

async function recordSuccess(
  ctx: Ctx,
  row: store.BackupRow,
  { file, outcome }: { file: string | null; outcome: Outcome },
): Promise<void> {
  const { size, sha256, head } = outcome
  changeBackup(ctx, row.id, {
    state: 'finished',
    file,
    size,
    sha256,
    head: JSON.stringify(head),
    step: null,
    done: head.bytes,
    total: head.bytes,
    finished_at: ctx.now,
  })
  ctx.log.info({ id: row.id, file: file ?? store.outsidePath(row), size }, 'a backup was made')
  if (row.keep !== null) await removeOlder(ctx, row.keep)
}

function recordFailure(ctx: Ctx, row: store.BackupRow, error: unknown): void {
  const finished_at = ctx.now
  if (error instanceof RunInterrupted) {
    // The next start marks it as interrupted.
    if (error.reason === 'stopping') return
    changeBackup(ctx, row.id, { state: 'cancelled', step: null, finished_at })
    return
  }
  const threadStack = error instanceof ThreadFailure ? error.threadStack : undefined
  if (threadStack !== undefined || !(error instanceof BackupProblem))
    ctx.log.error({ err: error, threadStack }, 'a backup failed')
  changeBackup(ctx, row.id, { state: 'failed', step: null, error: sentenceOf(error), finished_at })
}

/** Creates a backup. The job is never retried: the passphrase is lost after an interruption. */
export const makeBackupJob = job(
  'backups.make',
  { args: { backup_id: z.number() }, retries: 0, lane: 'outside' },
  (ctx, { backup_id }) => makeBackup(ctx, backup_id),
)
