import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { storageProblem } from '../../../lib/files/storage-problem.ts'
import { backupFolder, removeBackup } from '../service-files.ts'
import { cancelBackup } from '../service.ts'
import * as store from '../store.ts'

/**
 * What the command line needs to call a running instance: its address, and a token that only the owner of the folder
 * can read.
 */
export interface LocalAddress {
  readonly url: string
  readonly token: string
}

/** Holds the address of this instance as soon as it listens. */
const holderOf = (db: Ctx['db']) =>
  db.instance('backups.local_address', (): { address?: LocalAddress } => ({}))

const fileIn = (dataDir: string): string => join(dataDir, 'local.json')

/** Writes the address of this instance into the data folder; the returned function removes it. */
export function publishLocalAddress({ db, config }: Pick<Ctx, 'db' | 'config'>): () => void {
  const address = { url: config.ownUrl, token: randomBytes(32).toString('base64url') }
  holderOf(db).address = address
  rmSync(fileIn(config.dataDir), { force: true })
  try {
    writeFileSync(fileIn(config.dataDir), `${JSON.stringify(address)}\n`, { mode: 0o600 })
  } catch (error) {
    // A full disk must not prevent the start. The command line cannot call this instance then.
    if (!storageProblem(error)) throw error
    rmSync(fileIn(config.dataDir), { force: true })
  }
  return () => rmSync(fileIn(config.dataDir), { force: true })
}

/** The address of this instance. */
export function localAddressOf({ db }: Pick<Ctx, 'db'>): LocalAddress | undefined {
  return holderOf(db).address
}

/** The address of the instance of a data folder; undefined without one. */
export function localAddressIn(dataDir: string): LocalAddress | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as LocalAddress
  } catch {
    return undefined
  }
}

/** The state of a backup, as the command line receives it. */
export interface BackupProgress {
  readonly state: string
  readonly step?: string | null
  readonly done?: number
  readonly total?: number | null
  readonly error?: string | null
  /** Path of the finished file. */
  readonly path?: string
  readonly size?: number | null
  readonly sha256?: string | null
}

/**
 * Yields the state of a backup after every change until it has ended. An aborted signal cancels the backup. A backup
 * outside the folder of backups is removed from the list at the end.
 */
export async function* followBackup(
  ctx: Ctx,
  id: number,
  signal: AbortSignal,
): AsyncGenerator<BackupProgress> {
  let notify: () => void = () => undefined
  let isStale = true
  const changed = (): void => {
    isStale = true
    notify()
  }
  const unwatch = ctx.events.watch((name) => void (name === 'backup.changed' && changed()))
  signal.addEventListener('abort', changed, { once: true })
  try {
    for (;;) {
      if (!isStale) await new Promise<void>((resolve) => (notify = resolve))
      isStale = false
      const row = store.byId(ctx.db, id)
      if (!row) return yield { state: 'failed', error: 'The backup was removed.' }
      const hasEnded = row.state !== 'queued' && row.state !== 'running'
      if (signal.aborted && !hasEnded) {
        await cancelBackup(ctx, id)
        return
      }
      yield progressOf(ctx, row)
      if (!hasEnded) continue
      if (store.outsidePath(row) !== null) await removeBackup(ctx, row)
      return
    }
  } finally {
    unwatch()
  }
}

function progressOf({ config }: Pick<Ctx, 'config'>, row: store.BackupRow): BackupProgress {
  const { state, step, done, total, error, size, sha256, file } = row
  const path =
    store.outsidePath(row) ?? (file === null ? undefined : join(backupFolder(config.dataDir), file))
  if (state !== 'finished' || path === undefined) return { state, step, done, total, error }
  return { state, path, size, sha256 }
}
