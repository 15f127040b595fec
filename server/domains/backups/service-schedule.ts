import type { Ctx } from '../../ctx.ts'
import { askForBackup } from './service.ts'
import * as store from './store.ts'

/** The schedule of backups, as the window shows it. */
export interface Schedule {
  readonly frequency: 'off' | 'daily' | 'weekly'
  readonly hour: number
  readonly weekday: number
  readonly keep: number
  readonly is_sealed: boolean
}

const PURPOSE = 'backup_schedule.passphrase'
const USUAL = { frequency: 'off', hour: 2, weekday: 0, keep: 7, passphrase: null } as const
const HOUR_MS = 3_600_000

/** The schedule; off by default. */
export function scheduleOf(ctx: Pick<Ctx, 'db'>): Schedule {
  const { frequency, hour, weekday, keep, passphrase } = store.schedule(ctx.db) ?? USUAL
  return { frequency, hour, weekday, keep, is_sealed: passphrase !== null }
}

/** Changes the schedule. Without a passphrase the present one stays; an empty one removes it. */
export function setSchedule(
  ctx: Ctx,
  change: Partial<Omit<Schedule, 'is_sealed'>> & { passphrase?: string | null | undefined },
): Schedule {
  const before = store.schedule(ctx.db) ?? { ...USUAL, updated_at: ctx.now }
  const { passphrase: given, ...rest } = change
  const passphrase = given === undefined ? before.passphrase : given ? ctx.secrets.seal(given, PURPOSE) : null
  const said = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  store.setSchedule(ctx.db, { ...before, ...said, passphrase, updated_at: ctx.now })
  return scheduleOf(ctx)
}

/** Requests a scheduled backup when it is due. Runs every hour; a missed hour is made up for at the next run of that day. */
export function askIfDue(ctx: Ctx): void {
  const row = store.schedule(ctx.db)
  if (!row || row.frequency === 'off') return
  const now = new Date(ctx.now)
  const isDay = row.frequency === 'daily' || now.getUTCDay() === row.weekday
  if (!isDay || now.getUTCHours() < row.hour) return
  const last = store.lastScheduled(ctx.db)
  const today = Date.parse(`${ctx.now.slice(0, 10)}T00:00:00.000Z`) + row.hour * HOUR_MS
  if (last !== undefined && Date.parse(last) >= today) return
  if (store.underWay(ctx.db)) return
  const passphrase =
    row.passphrase === null ? undefined : ctx.secrets.open(row.passphrase, PURPOSE).toString()
  askForBackup(ctx, { origin: 'scheduled', keep: row.keep, passphrase })
}
