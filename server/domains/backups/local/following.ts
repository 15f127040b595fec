import { join } from 'node:path'

import type { Ctx } from '../../../ctx.ts'
import { backupFolder, removeBackup } from '../service-files.ts'
import { cancelBackup } from '../service.ts'
import * as store from '../store.ts'

/** The state of a backup, as the command line receives it. */
export interface Line {
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
 * Yields the state of a backup after every change until it has ended. An aborted signal cancels the backup. A backup outside
 * the folder of backups is removed from the list at the end.
 */
export async function* follow(ctx: Ctx, id: number, signal: AbortSignal): AsyncGenerator<Line> {
  let wake: () => void = () => undefined
  let isStale = true
  const changed = (): void => {
    isStale = true
    wake()
  }
  const unwatch = ctx.events.watch((name) => void (name === 'backup.changed' && changed()))
  signal.addEventListener('abort', changed, { once: true })
  try {
    for (;;) {
      if (!isStale) await new Promise<void>((resolve) => (wake = resolve))
      isStale = false
      const row = store.byId(ctx.db, id)
      if (!row) return yield { state: 'failed', error: 'The backup was removed.' }
      const isOver = row.state !== 'queued' && row.state !== 'running'
      if (signal.aborted && !isOver) {
        await cancelBackup(ctx, id)
        return
      }
      yield lineOf(ctx, row)
      if (!isOver) continue
      if (store.ownPath(row) !== null) await removeBackup(ctx, row)
      return
    }
  } finally {
    unwatch()
  }
}

function lineOf({ config }: Pick<Ctx, 'config'>, row: store.BackupRow): Line {
  const { state, step, done, total, error, size, sha256, file } = row
  const path = store.ownPath(row) ?? (file === null ? undefined : join(backupFolder(config.dataDir), file))
  if (state !== 'finished' || path === undefined) return { state, step, done, total, error }
  return { state, path, size, sha256 }
}
