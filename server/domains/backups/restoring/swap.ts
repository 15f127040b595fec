import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { cancelable } from '../../../jobs/runs.ts'
import { fail } from '../../../lib/fail.ts'
import { createDurableFolderNow, syncFolderNow, writeDurably } from '../../../lib/files/durable-file.ts'
import { migrations } from '../../../db/migrate.ts'
import { BackupProblem, sentenceOf } from '../archive/format.ts'
import { BackupChanged } from '../events.ts'
import { runningOf, type RestoreProgress, withRunningClock } from '../service-making.ts'
import { backup, fileOf, checkIdle } from '../service.ts'
import { type RestoreTask, runThread, ThreadFailure } from '../thread/run-thread.ts'

/*
 * A restore is unpacked next to the current data (`<data folder>/restore`, and `.restore` in other storages) and recorded
 * in `restore.json`. The next start moves the old data aside and the new data in, before it opens anything. Every step
 * is a rename: an interrupted start continues, and a failed one moves everything back.
 */

/** Delay of the restart, in milliseconds, so that its event reaches the window. */
const RESTART_DELAY_MS = 300
/** Milliseconds between two events about progress. */
const REPORT_MS = 500

/**
 * Checks a backup and unpacks it next to the current data; then the instance restarts and swaps the two. Returns at
 * once an object that is updated with progress and failure. Throws 404, and 409 while another backup or restore runs.
 */
export function requestRestore(context: Ctx, id: number, passphrase: string | undefined): RestoreProgress {
  const ctx = withRunningClock(context)
  const row = backup(ctx, id)
  checkIdle(ctx)
  const { path } = fileOf(ctx, id)
  if (row.is_sealed && passphrase === undefined)
    throw fail('bad_request', 'The backup is sealed: it needs its passphrase.')
  const running = runningOf(ctx)
  const restore: RestoreProgress = {
    backup_id: id,
    state: 'running',
    step: 'unpacking',
    done: 0,
    total: 0,
    error: null,
  }
  running.restore = restore
  const request = { restore, file: path, name: row.file!, passphrase }
  cancelable(ctx, { name: 'restore' }, (signal) => performRestore(ctx, request, signal)).catch(
    (error: unknown) => ctx.log.error({ err: error }, 'a backup could not be restored'),
  )
  return restore
}

async function performRestore(
  ctx: Ctx,
  request: { restore: RestoreProgress; file: string; name: string; passphrase: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const { restore, file, name, passphrase } = request
  const { dataDir, storages } = ctx.config
  const folders = Object.values(storages)
  let reportedAt = performance.now()
  publishState(ctx, restore)
  try {
    await discardRestoreAsync(dataDir, folders)
    const { head } = await runThread(restoreTask(dataDir, storages, { file, passphrase }), {
      signal,
      onProgress: (step, done, total) => {
        Object.assign(restore, { step, done, total })
        if (performance.now() - reportedAt < REPORT_MS) return
        reportedAt = performance.now()
        publishState(ctx, restore)
      },
    })
    planRestore(dataDir, { file: name, created_at: head.created_at, asked_at: ctx.now, storages: folders })
    restore.state = 'restarting'
    publishState(ctx, restore)
    ctx.log.info({ file: name }, 'a backup was unpacked; the instance restarts with it')
    setTimeout(() => ctx.config.restart.request(), RESTART_DELAY_MS)
  } catch (error) {
    await discardRestoreAsync(dataDir, folders)
    const threadStack = error instanceof ThreadFailure ? error.threadStack : undefined
    if (threadStack !== undefined || !(error instanceof BackupProblem))
      ctx.log.error({ err: error, threadStack }, 'a backup could not be restored')
    Object.assign(restore, { state: 'failed', error: sentenceOf(error) })
    publishState(ctx, restore)
  }
}

/** Publishes the state, for the window. */
function publishState(ctx: Ctx, { backup_id, state }: RestoreProgress): void {
  try {
    tx(ctx.db, () =>
      publish(ctx, BackupChanged, { backup_id, state: `restore_${state}`, actor_id: ctx.actor.id }),
    )
  } catch {
    // The instance is closing.
  }
}

/** Name of the folder with the restored content of a storage, until the swap. */
export const STORAGE_STAGING = '.restore'

/** Names in the data folder that a restore does not replace. */
const UNTOUCHED_NAMES =
  /^(backups|logs|window|tmp|git|restore|restore\.json|local\.json|deskforge\.lock.*|instance\.(lock|json)|reserve|before-restore-.*)$/
const UNTOUCHED_IN_STORAGE = /^\.(restore|snapshot|before-restore-.*)$/

interface Plan {
  /** Name of the backup. */
  readonly file: string
  /** When the backup was made. */
  readonly created_at: string
  readonly asked_at: string
  /** Folders of storages outside the data folder. */
  readonly storages: readonly string[]
  /** The folder for the old content. Set together with `moves`. */
  readonly aside?: string
  /** The renames, in order. Set when the restore begins. */
  readonly moves?: readonly (readonly [from: string, to: string])[]
}

/** The last restore. */
export interface LastRestore {
  readonly file: string
  readonly created_at: string
  readonly restored_at: string
  /** The folder with the old content; null if there was none. */
  readonly aside: string | null
  /** True until the first start after the restore. */
  readonly is_fresh?: boolean
}

/** The folder where the data of a restore is assembled. */
export function stagingOf(dataDir: string): string {
  return join(dataDir, 'restore')
}

const planFile = (dataDir: string): string => join(dataDir, 'restore.json')

const lastFile = (dataDir: string): string => join(dataPaths(dataDir).backups, 'last-restore.json')

/** Records that the next start has to swap the data. */
export function planRestore(dataDir: string, plan: Omit<Plan, 'aside' | 'moves'>): void {
  writeAtomically(planFile(dataDir), plan)
}

/** Removes the assembled data of a restore. */
export function discardRestore(dataDir: string, storages: readonly string[]): void {
  rmSync(planFile(dataDir), { force: true })
  for (const folder of [stagingOf(dataDir), ...storages.map((storage) => join(storage, STORAGE_STAGING))])
    rmSync(folder, { recursive: true, force: true })
}

/** Does the same as `discardRestore` without blocking the thread, because there may be much data. */
async function discardRestoreAsync(dataDir: string, storages: readonly string[]): Promise<void> {
  await rm(planFile(dataDir), { force: true })
  for (const folder of [stagingOf(dataDir), ...storages.map((storage) => join(storage, STORAGE_STAGING))])
    await rm(folder, { recursive: true, force: true })
}

/** Swaps the data. Returns false if no restore is planned; otherwise `commitRestore` or `undoRestore` must follow. */
export function beginRestore(dataDir: string): boolean {
  const plan = readPlan(dataDir)
  if (!plan) return false
  const planWithMoves = plan.moves ? plan : planMoves(dataDir, plan)
  if (!plan.moves) writeAtomically(planFile(dataDir), planWithMoves)
  for (const [from, to] of planWithMoves.moves!) {
    // An interrupted start has already made this move.
    if (!existsSync(from) || existsSync(to)) continue
    createDurableFolderNow(dirname(to))
    renameSync(from, to)
  }
  // The moves must be on disk before the data is used and the plan is removed.
  for (const folder of new Set(planWithMoves.moves!.flatMap((move) => move.map((path) => dirname(path)))))
    if (existsSync(folder)) syncFolderNow(folder)
  return true
}

/** Keeps the restored content and records the folder of the old one. Undefined if nothing was restored. */
export function commitRestore(dataDir: string): LastRestore | undefined {
  const plan = readPlan(dataDir)
  if (!plan?.moves) return undefined
  const { file, created_at, asked_at, storages, aside } = plan
  const previous = aside !== undefined && existsSync(aside) ? aside : null
  const last: LastRestore = { file, created_at, restored_at: asked_at, aside: previous, is_fresh: true }
  mkdirSync(dirname(lastFile(dataDir)), { recursive: true, mode: 0o700 })
  writeAtomically(lastFile(dataDir), last)
  discardRestore(dataDir, storages)
  return last
}

/** Moves everything back to where it was. */
export function undoRestore(dataDir: string): void {
  const plan = readPlan(dataDir)
  // Without a plan, `commitRestore` has already run.
  if (!plan) return
  const { database } = dataPaths(dataDir)
  const reversed = [...(plan.moves ?? [])].reverse()
  const isNew = ([from]: readonly [string, string]): boolean =>
    from.startsWith(stagingOf(dataDir)) || from.includes(`${STORAGE_STAGING}/`)
  for (const move of reversed.filter(isNew)) undoMove(move)
  // The log of the restored database must not be applied to the old one.
  for (const suffix of ['-wal', '-shm']) rmSync(database + suffix, { force: true })
  for (const move of reversed.filter((entry) => !isNew(entry))) undoMove(move)
  discardRestore(dataDir, plan.storages)
  if (plan.aside) rmSync(plan.aside, { recursive: true, force: true })
}

function undoMove([from, to]: readonly [string, string]): void {
  if (existsSync(to) && !existsSync(from)) renameSync(to, from)
}

/** The last restore; undefined without one. */
export function lastRestore(dataDir: string): LastRestore | undefined {
  return readJson<LastRestore>(lastFile(dataDir))
}

/** Marks the end of the first start after a restore. */
export function recordFirstStart(dataDir: string): void {
  const last = lastRestore(dataDir)
  if (last?.is_fresh) writeAtomically(lastFile(dataDir), { ...last, is_fresh: false })
}

function readPlan(dataDir: string): Plan | undefined {
  return readJson<Plan>(planFile(dataDir))
}

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return undefined
  }
}

/** Writes a file atomically. */
function writeAtomically(file: string, value: unknown): void {
  writeDurably(file, `${JSON.stringify(value, null, 2)}\n`)
}

function planMoves(dataDir: string, plan: Plan): Plan {
  const time = plan.asked_at.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')
  const previous = namesIn(dataDir).filter((name) => !UNTOUCHED_NAMES.test(name))
  const aside = previous.length === 0 ? undefined : asideOf(dataDir, time)
  const restored = namesIn(stagingOf(dataDir))
  const moves: [string, string][] = [
    ...previous.map((name): [string, string] => [join(dataDir, name), join(aside!, name)]),
    ...restored.map((name): [string, string] => [join(stagingOf(dataDir), name), join(dataDir, name)]),
  ]
  for (const folder of plan.storages) {
    const oldContent = join(folder, `.before-restore-${time}`)
    const existing = namesIn(folder).filter((name) => !UNTOUCHED_IN_STORAGE.test(name))
    for (const name of existing) moves.push([join(folder, name), join(oldContent, name)])
    const staging = join(folder, STORAGE_STAGING)
    for (const name of namesIn(staging)) moves.push([join(staging, name), join(folder, name)])
  }
  return { ...plan, ...(aside === undefined ? {} : { aside }), moves }
}

/** A folder for the old data: next to the data folder, or in it when the parent is on another disk or read-only. */
function asideOf(dataDir: string, time: string): string {
  const sibling = freeName(`${dataDir}.before-restore-${time}`)
  try {
    mkdirSync(sibling, { mode: 0o700 })
    if (statSync(sibling).dev === statSync(dataDir).dev) return sibling
    rmSync(sibling, { recursive: true })
  } catch {
    // The data folder itself is used instead.
  }
  return freeName(join(dataDir, `before-restore-${time}`))
}

function freeName(base: string): string {
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? base : `${base}-${attempt}`
    if (!existsSync(name)) return name
  }
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** The task that unpacks a backup next to the current data. `storages` are the folders in the start options, by name. */
export function restoreTask(
  dataDir: string,
  storages: Readonly<Record<string, string>>,
  input: { file: string; passphrase?: string | undefined },
): RestoreTask {
  const stagings = Object.entries(storages).map(([name, folder]) => [name, join(folder, STORAGE_STAGING)])
  return {
    kind: 'restore',
    ...input,
    staging: stagingOf(dataDir),
    storages: Object.fromEntries(stagings) as Record<string, string>,
    dataDir,
    knownMigrations: migrations.map(({ name }) => name),
  }
}
