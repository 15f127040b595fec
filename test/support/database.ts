import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'

import type { Ctx } from '../../server/ctx.ts'
import { Database } from '../../server/db/database.ts'
import { openDatabase } from '../../server/db/open.ts'
import { EventBus, type Subscription } from '../../server/events/publish.ts'
import { JobRunner } from '../../server/jobs/runner.ts'
import { stopSignal } from '../../server/jobs/runs.ts'
import type { CronLine, Job } from '../../server/jobs/job.ts'
import { frozenClock, isoTime } from '../../server/lib/clock.ts'
import { system } from '../../server/policy/actor.ts'
import { emptyDatabase } from './empty-database.ts'

export const silent = pino({ level: 'silent' })

/** A temporary folder that is deleted after the test. */
export function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'deskforge-db-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** A database with the schema of this release. */
export function migrated(): Database {
  const dir = folder()
  const file = join(dir, 'migrated.db')
  copyFileSync(emptyDatabase(), file)
  const db = openDatabase({ file, backupDir: dir, temporary: true, log: silent })
  onTestFinished(() => db.close())
  return db
}

/** A database in memory without any table, and the raw connection below it. */
export function blank(sql = ''): { db: Database; sqlite: BetterSqlite3.Database } {
  const sqlite = new BetterSqlite3(':memory:')
  sqlite.exec(sql)
  onTestFinished(() => void sqlite.close())
  return { db: new Database(sqlite, silent), sqlite }
}

/** Events and jobs on a real database, with a stopped clock. */
export function jobsAndEvents(
  parts: {
    subscribers?: Subscription[]
    jobs?: Job<never>[]
    crons?: CronLine[]
    subjects?: Record<string, string>
    db?: Database
  } = {},
) {
  const db = parts.db ?? migrated()
  const clock = frozenClock('2026-03-01T00:00:00.000Z')
  const events = new EventBus(parts.subscribers ?? [])
  const context = () =>
    ({
      db,
      events,
      actor: system,
      now: isoTime(clock.now()),
      log: silent,
      signal: stopSignal(db),
      cause: null,
    }) as unknown as Ctx
  const runner = new JobRunner(
    context,
    clock,
    (parts.jobs ?? []) as readonly Job[],
    parts.crons ?? [],
    parts.subjects,
  )
  events.wakeJobRunner = () => setImmediate(() => runner.wake())
  onTestFinished(() => runner.stop(1000))
  const rows = () =>
    db.many<{
      id: number
      name: string
      state: string
      attempts: number
      error: string | null
      run_at: string
    }>('SELECT id, name, state, attempts, error, run_at FROM jobs ORDER BY id')
  return { db, clock, events, runner, context, rows, states: () => rows().map((row) => row.state) }
}
