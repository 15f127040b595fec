import type { Ctx } from '../../ctx.ts'
import * as store from './store.ts'
import { BackupChanged } from './events.ts'
import { publish } from '../../events/publish.ts'
import { tx } from '../../db/database.ts'
import { isoTime } from '../../lib/clock.ts'

/** A restore that is being prepared. */
export interface Restoring {
  readonly backup_id: number
  state: 'running' | 'failed' | 'restarting'
  step: string
  done: number
  total: number
  error: string | null
}

/** The state of backups that has no column: passphrases are never stored. */
export interface RunningBackups {
  readonly passphrases: Map<number, string>
  restoring: Restoring | undefined
}

/** The state of the backups of this instance. */
export function runningOf({ db }: Pick<Ctx, 'db'>): RunningBackups {
  return db.instance('backups.running', (): RunningBackups => ({
    passphrases: new Map(),
    restoring: undefined,
  }))
}

/** The name of the making of a backup, for `cancelRun`. */
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

/** A context with the present time: a backup lasts long, and a job's time is that of its beginning. */
export function withRunningClock(ctx: Ctx): Ctx {
  const start = Date.parse(ctx.now)
  const began = performance.now()
  return {
    ...ctx,
    get now() {
      return isoTime(start + Math.trunc(performance.now() - began))
    },
  }
}
