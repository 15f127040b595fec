import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, invalid, notFound } from '../../../lib/fail.ts'
import { planLimits } from '../../settings/index.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { ScheduleChanged } from '../events.ts'
import type { PipelineWithPath } from '../pipelines/entity.ts'
import { listPipelines } from '../pipelines/store-list.ts'
import { withPaths } from '../pipelines/service.ts'
import { checkVariable } from '../variables/service.ts'
import { runSchedule, nextRunTime, scheduleProblems } from './jobs.ts'
import * as store from './store.ts'
import type { ScheduleRow, OpenScheduleVariable, ScheduleVariableRow } from './store.ts'
import { MAINTAINER, DEVELOPER } from '../../../policy/levels.ts'
import { maySetVariables, mayRunOn } from '../policy.ts'
import { targetOf } from '../pipelines/creation/request.ts'

/** The fields of a variable except its key. */
interface ScheduleVariableFields {
  readonly value: string
  readonly variable_type: 'env_var' | 'file'
  readonly raw: boolean
}

/** The maximum number of variables of a schedule. Every pipeline gets all of them. */
const MAX_VARIABLES = 1000

/** Returns the variable with a name. Throws `404 Variable Not Found`. */
function getVariable(ctx: Ctx, { id }: ScheduleRow, key: string): ScheduleVariableRow {
  const row = store.byKey(ctx.db, id, key)
  if (!row) throw notFound('Variable')
  return row
}

/** Adds a variable. Throws 400 with the errors of each field, and 403 without permission. */
export function createVariable(
  ctx: Ctx,
  project: Project,
  schedule: ScheduleRow,
  { key, ...input }: Partial<ScheduleVariableFields> & { key: string; value: string },
): OpenScheduleVariable {
  checkMaySetScheduleVariables(ctx, project, schedule)
  return tx(ctx.db, () => {
    if (store.byKey(ctx.db, schedule.id, key)) throw invalid({ key: 'has already been taken' })
    if (store.countVariables(ctx.db, schedule.id) >= MAX_VARIABLES)
      throw invalid({ base: `Maximum number of variables (${MAX_VARIABLES}) exceeded` })
    return writeVariable(ctx, schedule, key, { variable_type: 'env_var', raw: false, ...input })
  })
}

/** Updates a variable. Throws 400 with the errors of each field, and 403 without permission. */
export function updateVariable(
  ctx: Ctx,
  project: Project,
  schedule: ScheduleRow,
  { key, ...input }: Partial<ScheduleVariableFields> & { key: string },
): OpenScheduleVariable {
  checkMaySetScheduleVariables(ctx, project, schedule)
  const { value, variable_type, raw } = store.openVariable(ctx, getVariable(ctx, schedule, key))
  return tx(ctx.db, () => writeVariable(ctx, schedule, key, { value, variable_type, raw, ...input }))
}

/** Removes a variable and returns it. Throws 403 without permission. */
export function removeVariable(
  ctx: Ctx,
  project: Project,
  schedule: ScheduleRow,
  key: string,
): OpenScheduleVariable {
  checkMayChange(ctx, project, schedule)
  const row = getVariable(ctx, schedule, key)
  tx(ctx.db, () => {
    store.removeVariable(ctx.db, row)
    publishChange(ctx, schedule)
  })
  return store.openVariable(ctx, row)
}

function checkMaySetScheduleVariables(ctx: Ctx, project: Project, schedule: ScheduleRow): void {
  checkMayChange(ctx, project, schedule)
  checkMaySetVariables(ctx, project)
}

function writeVariable(
  ctx: Ctx,
  schedule: ScheduleRow,
  key: string,
  { value, variable_type, raw }: ScheduleVariableFields,
): OpenScheduleVariable {
  checkVariable({ key, value, masked: false, environment_scope: '*', description: null })
  const row = { schedule_id: schedule.id, key, variable_type, raw }
  store.put(ctx.db, { ...row, value: store.sealValue(ctx, value) })
  publishChange(ctx, schedule)
  return { ...row, value }
}

function publishChange(ctx: Ctx, { id, project_id }: ScheduleRow): void {
  publish(ctx, ScheduleChanged, { project_id, schedule_id: id, actor_id: ctx.actor.id })
}

/** The fields of a schedule. */
export interface ScheduleFields {
  readonly description: string
  readonly ref: string
  readonly cron: string
  readonly cron_timezone: string
  readonly active: boolean
}

/** A page of the schedules of a project. */
export function findSchedules(
  ctx: Ctx,
  project: Project,
  scope: 'active' | 'inactive' | undefined,
  paging: { limit: number; offset: number },
): Rows<ScheduleRow> {
  return store.list(ctx.db, project.id, scope && scope === 'active', paging)
}

/** Returns a schedule of a project. Throws `404 Pipeline Schedule Not Found`. */
export function getSchedule(ctx: Pick<Ctx, 'db'>, project: Project, id: number): ScheduleRow {
  const row = store.byId(ctx.db, id)
  if (row?.project_id !== project.id) throw notFound('Pipeline Schedule')
  return row
}

/** A page of the pipelines that a schedule started. */
export function findPipelinesOf(
  ctx: Ctx,
  project: Project,
  { id }: ScheduleRow,
  paging: { limit: number; offset: number; sort: 'asc' | 'desc' },
): Rows<PipelineWithPath> {
  const { rows, total } = listPipelines(
    ctx.db,
    project.id,
    { schedule_id: id },
    { ...paging, order_by: 'id' },
  )
  return { rows: withPaths(project, rows), total }
}

/** Creates a schedule of the actor. Throws 400 with the errors of each field, and 403 without permission for its ref. */
export async function createSchedule(
  ctx: Ctx,
  project: Project,
  input: ScheduleFields,
): Promise<ScheduleRow> {
  checkFields(input)
  await checkRef(ctx, project, input.ref, 'create')
  return tx(ctx.db, () => {
    const { ci_pipeline_schedules: limit } = planLimits(ctx.db)
    if (limit > 0 && store.count(ctx.db, project.id) >= limit)
      throw invalid({ base: `Maximum number of pipeline schedules (${limit}) exceeded` })
    const row = store.insert(ctx.db, {
      ...columnsOf(input),
      project_id: project.id,
      owner_id: ctx.actor.id,
      next_run_at: nextRunTime(input, ctx.now),
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    return withEvent(ctx, row)
  })
}

/** Updates a schedule. Throws 400 with the errors of each field, and 403 without permission for the schedule or its ref. */
export async function updateSchedule(
  ctx: Ctx,
  project: Project,
  before: ScheduleRow,
  changes: Partial<ScheduleFields>,
): Promise<ScheduleRow> {
  checkMayChange(ctx, project, before)
  const fields: ScheduleFields = { ...before, active: before.active, ...changes }
  checkFields(fields)
  if (fields.ref !== before.ref) await checkRef(ctx, project, fields.ref, 'update')
  const timesChanged =
    fields.cron !== before.cron ||
    fields.cron_timezone !== before.cron_timezone ||
    fields.active !== before.active
  return tx(ctx.db, () => {
    // This throws if the schedule was deleted while git ran.
    getSchedule(ctx, project, before.id)
    const times = timesChanged ? { next_run_at: nextRunTime(fields, ctx.now) } : {}
    return withEvent(
      ctx,
      store.update(ctx.db, before.id, { ...columnsOf(fields), ...times, updated_at: ctx.now }),
    )
  })
}

/** Makes the actor the owner of a schedule, as whom the schedule then runs. */
export function takeOwnership(ctx: Ctx, row: ScheduleRow): ScheduleRow {
  if (row.owner_id === ctx.actor.id) return row
  return tx(ctx.db, () =>
    withEvent(ctx, store.update(ctx.db, row.id, { owner_id: ctx.actor.id, updated_at: ctx.now })),
  )
}

/** Deletes a schedule, but not its pipelines. Throws 403 if the actor may not change it. */
export function removeSchedule(ctx: Ctx, project: Project, row: ScheduleRow): void {
  checkMayChange(ctx, project, row)
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    withEvent(ctx, row)
  })
}

/** Runs a schedule now as the actor. Its next time does not change. Throws 403 without permission for its ref. */
export async function playSchedule(ctx: Ctx, project: Project, row: ScheduleRow): Promise<void> {
  await checkRef(ctx, project, row.ref, 'play')
  const args = { schedule_id: row.id, user_id: ctx.actor.id, asked_at: ctx.now }
  tx(ctx.db, () => enqueue(ctx, runSchedule, args))
}

function columnsOf({ description, ref, cron, cron_timezone, active }: ScheduleFields) {
  return { description, ref, cron, cron_timezone, active }
}

function checkFields(fields: ScheduleFields): void {
  const blank = (['description', 'ref', 'cron'] as const).filter((name) => fields[name].trim() === '')
  const problems = {
    ...scheduleProblems(fields),
    ...Object.fromEntries(blank.map((name) => [name, ["can't be blank"]])),
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function withEvent(ctx: Ctx, row: ScheduleRow): ScheduleRow {
  publishChange(ctx, row)
  return row
}

/** Whether the actor may change a schedule and see its variables: as a maintainer, or as its owner and a developer. */
export function mayChange(ctx: Ctx, project: Project, row: Pick<ScheduleRow, 'owner_id'>): boolean {
  if (ctx.actor.is_admin) return true
  const role = scope.roleOf(ctx, project)
  return role >= MAINTAINER || (role >= DEVELOPER && row.owner_id !== null && row.owner_id === ctx.actor.id)
}

/** Throws 403 if the actor may not change the schedule. */
function checkMayChange(ctx: Ctx, project: Project, row: Pick<ScheduleRow, 'owner_id'>): void {
  if (!mayChange(ctx, project, row)) throw fail('forbidden')
}

/** Throws 403 if the actor may not set variables of pipelines. */
function checkMaySetVariables(ctx: Ctx, project: Project): void {
  if (maySetVariables(ctx, project)) return
  throw forbidden('set pipeline schedule variables')
}

/** Throws 403 if protections prevent the actor from running pipelines on the branch or tag. */
export async function checkRef(
  ctx: Ctx,
  project: Project,
  ref: string,
  action: 'create' | 'update' | 'play',
): Promise<void> {
  if (await mayRun(ctx, project, ref)) return
  throw forbidden(`${action} the pipeline schedule`)
}

/**
 * Whether the actor may run pipelines on a ref. A name that does not exist is taken as a branch. If both a branch and a
 * tag have the name, the actor needs permission for both.
 */
async function mayRun(ctx: Ctx, project: Project, ref: string): Promise<boolean> {
  const match = project.empty_repo ? null : await targetOf(ctx, project, ref)
  if (match !== null && match !== 'ambiguous') return mayRunOn(ctx, project, match)
  const kinds = match === 'ambiguous' ? (['branch', 'tag'] as const) : (['branch'] as const)
  return kinds.every((kind) => mayRunOn(ctx, project, { ref: ref.replace(/^refs\/heads\//, ''), kind }))
}

function forbidden(action: string) {
  return fail('forbidden', `403 Forbidden - The current user is not authorized to ${action}`)
}
