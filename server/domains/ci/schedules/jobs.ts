import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { cron, enqueue, job, type CronLine, type Job } from '../../../jobs/job.ts'
import { isoTime } from '../../../lib/clock.ts'
import { nextRun } from '../../../lib/cron.ts'
import { Failure } from '../../../lib/fail.ts'
import { DEVELOPER } from '../../../policy/levels.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { project as scope, projectById, type Project } from '../../projects/index.ts'
import { ScheduleChanged } from '../events.ts'
import { tryPipeline } from '../pipelines/creation/service.ts'
import * as store from './store.ts'
import { type ScheduleRow, openVariablesOf } from './store.ts'
import { ZONE_NAMES } from './zone-names.ts'

const MAX_CRON = 255
const NICKNAME = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/
/** The allowed characters of a field. `?` is not allowed, because the library replaces it by the current time. */
const FIELD = /^[\dA-Za-z*,/#-]+$/
/** The largest values of minute, hour, day, month and weekday. */
const LARGEST = [59, 23, 31, 12, 6]

/** The times at which a schedule runs. */
interface CronSchedule {
  readonly cron: string
  readonly cron_timezone: string
}

/** The errors of a cron schedule by field. Empty if it is valid. */
export function scheduleProblems({ cron, cron_timezone }: CronSchedule): Record<string, string[]> {
  const zone = zoneOf(cron_timezone)
  return {
    ...(isCron(cron) ? {} : { cron: ['syntax is invalid'] }),
    ...(zone === undefined ? { cron_timezone: ['syntax is invalid'] } : {}),
  }
}

/** The next time of a cron schedule after `now`. Null if there is none or the schedule is invalid. */
export function nextRunTime({ cron, cron_timezone }: CronSchedule, now: string): string | null {
  const zone = zoneOf(cron_timezone)
  const pattern = patternOf(cron)
  if (zone === undefined || pattern === undefined) return null
  const next = nextRun(pattern, Date.parse(now), zone)
  return next === undefined ? null : isoTime(next)
}

/** Whether a cron expression is valid and has a next time, unlike one for 31 February. */
function isCron(cron: string): boolean {
  const pattern = patternOf(cron)
  if (pattern === undefined) return false
  try {
    return nextRun(pattern, 0) !== undefined
  } catch {
    return false
  }
}

/**
 * The cron expression in the form of the library. It has five fields or is a nickname. `5/10` becomes `5-59/10`, which is
 * its meaning in other cron parsers. Undefined for an invalid expression.
 */
function patternOf(cron: string): string | undefined {
  const text = cron.trim()
  if (text.length > MAX_CRON) return undefined
  if (NICKNAME.test(text)) return text
  const fields = text.split(/\s+/)
  if (fields.length !== LARGEST.length || !fields.every((field) => FIELD.test(field))) return undefined
  return fields
    .map((field, index) => field.replaceAll(/(^|,)(\d+)\/(\d+)/g, `$1$2-${LARGEST[index]}/$3`))
    .join(' ')
}

/** The IANA time zone with a name. Undefined for an unknown name. */
function zoneOf(name: string): string | undefined {
  const zone = ZONE_NAMES[name] ?? name
  // Offsets from UTC are not time zones.
  if (!/^[A-Za-z]/.test(zone)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

const BATCH = 500

/** Creates the pipeline of a schedule. `user_id` is the user who started it, or null if it was due. */
export const runSchedule = job(
  'ci.run_schedule',
  { args: { schedule_id: z.number(), user_id: z.number().nullable(), asked_at: z.string() } },
  (ctx, args) => run(ctx, args),
)

/**
 * Starts the schedules that are due. The next time is stored in the same transaction, so that no schedule starts again
 * and again. Of several runs that were missed while the machine was off, only one is started.
 */
export function startDue(ctx: Ctx): void {
  for (;;) {
    const rows = store.due(ctx.db, ctx.now, BATCH)
    if (rows.length > 0) tx(ctx.db, () => rows.forEach((row) => start(ctx, row)))
    if (rows.length < BATCH) return
  }
}

function start(ctx: Ctx, row: ScheduleRow): void {
  store.update(ctx.db, row.id, { next_run_at: nextRunTime(row, ctx.now) })
  enqueue(ctx, runSchedule, { schedule_id: row.id, user_id: null, asked_at: ctx.now })
}

async function run(
  ctx: Ctx,
  args: { schedule_id: number; user_id: number | null; asked_at: string },
): Promise<void> {
  const row = store.byId(ctx.db, args.schedule_id)
  const project = row && projectById(ctx.db, row.project_id)
  // An earlier run of this job may have created the pipeline.
  if (!row || !project || store.hasRunSince(ctx.db, row.id, args.asked_at)) return
  const actorCtx = onBehalfOf(ctx, args.user_id ?? row.owner_id)
  if (actorCtx && isDeveloper(actorCtx, project)) await makePipeline(actorCtx, project, row)
  else if (args.user_id === null) deactivate(ctx, row)
}

/** Whether the user still has the Developer role. Otherwise the schedule does not run. */
function isDeveloper(ctx: Ctx, project: Project): boolean {
  return ctx.actor.is_admin || scope.roleOf(ctx, project) >= DEVELOPER
}

async function makePipeline(ctx: Ctx, project: Project, row: ScheduleRow): Promise<void> {
  const variables = openVariablesOf(ctx, row.id).map(({ key, value, variable_type, raw }) => ({
    key,
    value,
    variable_type: variable_type as 'env_var' | 'file',
    raw,
  }))
  try {
    await tryPipeline(ctx, project, { source: 'schedule', ref: row.ref, schedule_id: row.id, variables })
  } catch (error) {
    // If the repository cannot be read now, a retry would not help.
    if (!(error instanceof Failure)) throw error
    ctx.log.warn({ err: error, schedule_id: row.id }, 'a schedule could not run')
  }
  tx(ctx.db, () => publishChange(ctx, row))
}

function deactivate(ctx: Ctx, row: ScheduleRow): void {
  tx(ctx.db, () => {
    store.update(ctx.db, row.id, { active: false, updated_at: ctx.now })
    publishChange(ctx, row)
  })
}

function publishChange(ctx: Ctx, row: ScheduleRow): void {
  publish(ctx, ScheduleChanged, { project_id: row.project_id, schedule_id: row.id, actor_id: ctx.actor.id })
}

export const jobs: Job[] = [runSchedule as Job]

export const crons: CronLine[] = [cron('ci.start_schedules', '* * * * *', startDue)]
