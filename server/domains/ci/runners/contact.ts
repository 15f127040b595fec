import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { tokenDigest } from '../../../lib/crypto.ts'
import { tellOfRunner } from './service-events.ts'
import { noteManager } from './managers.ts'
import { keep, newest } from './seen.ts'
import * as store from './store.ts'
import type { RunnerColumns, RunnerRow } from './store.ts'

/** What a runner tells of itself with its calls (spec ci 1.6). What it leaves out stays as it was. */
export interface RunnerInfo {
  readonly name?: string
  readonly version?: string
  readonly revision?: string
  readonly platform?: string
  readonly architecture?: string
  readonly executor?: string
  readonly features?: Readonly<Record<string, unknown>>
  readonly config?: { readonly gpus?: string }
}

/** A runner that was silent for so long is written at once, so that lists by status find it. */
const SILENCE_MS = 600_000

/** The runner that shows a token; undefined for a token of nobody, and for one that has ended. */
export function runnerByToken(ctx: Pick<Ctx, 'db' | 'now'>, token: string): RunnerRow | undefined {
  const row = store.byDigest(ctx.db, tokenDigest(token))
  if (!row || (row.token_expires_at !== null && row.token_expires_at <= ctx.now)) return undefined
  return withContact(ctx.db, row)
}

/** Runners by their ids, with their newest contacts. */
export function runnersByIds(db: Database, ids: readonly number[]): Map<number, RunnerRow> {
  return new Map(store.byIds(db, ids).map((row) => [row.id, withContact(db, row)]))
}

/** A runner with its newest contact. */
export function withContact(db: Database, row: RunnerRow): RunnerRow {
  return newest(db, row.id, row)
}

/** Columns of what a runner tells. */
function toldColumns({ features, config, ...texts }: RunnerInfo = {}): RunnerColumns {
  return {
    ...texts,
    ...(features ? { features: JSON.stringify(features) } : {}),
    ...(config ? { config: JSON.stringify(config) } : {}),
  }
}

/**
 * A runner called: when, from where, and what it is. Answers show it at once; it is written with other bookkeeping,
 * unless the runner was silent for long, which is told too.
 */
export function noteContact(
  ctx: Ctx,
  runner: RunnerRow,
  info: RunnerInfo | undefined,
  system_id: string | null,
  ip: string,
): void {
  const { db, now } = ctx
  const { contacted_at: before } = withContact(db, runner)
  keep(db, runner.id, { ...toldColumns(info), contacted_at: now, ip_address: ip })
  const row = withContact(db, runner)
  if (before === null || Date.parse(now) - Date.parse(before) > SILENCE_MS)
    tx(db, () => {
      store.updateContact(db, row)
      tellOfRunner(ctx, row, 'changed')
    })
  else ctx.bookkeeping.note(`runner:${row.id}`, store.CONTACT_SQL, ...store.contactValues(row))
  if (system_id !== null) noteManager(ctx, runner.id, { system_id, ip, at: now }, info)
}

/** A runner asked whether it is known, and not for work: what it told is stored, but it did not call yet (spec ci 1.5). */
export function noteVerified(
  ctx: Ctx,
  runner: RunnerRow,
  info: RunnerInfo | undefined,
  manager: { readonly system_id: string | null; readonly ip: string },
): void {
  if (info) {
    keep(ctx.db, runner.id, toldColumns(info) as Readonly<Record<string, unknown>>)
    store.updateContact(ctx.db, withContact(ctx.db, runner))
  }
  const { system_id, ip } = manager
  if (system_id !== null) noteManager(ctx, runner.id, { system_id, ip, at: null }, info)
}
