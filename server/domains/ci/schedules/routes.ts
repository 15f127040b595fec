import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project, type Project } from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { withPaths } from '../pipelines/service.ts'
import { abilities } from '../policy.ts'
import {
  createSchedule,
  findPipelinesOf,
  findSchedules,
  getSchedule,
  mayChange,
  playSchedule,
  removeSchedule,
  takeOwnership,
  updateSchedule,
  createVariable,
  removeVariable,
  updateVariable,
} from './service.ts'
import { type ScheduleRow, openVariablesOf, type OpenScheduleVariable } from './store.ts'
import * as store from './store.ts'
import { z } from 'zod'
import { entity, time, type Presentation, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import { PipelineBasic, type PipelineWithPath } from '../pipelines/entity.ts'

/** A schedule with its owner. */
interface ScheduleView {
  readonly row: ScheduleRow
  readonly owner: UserBasicRow | null
}

/** A schedule with all data that its entity shows. */
interface ScheduleDetailView extends ScheduleView {
  readonly last: PipelineWithPath | null
  /** Undefined if the actor may not see them. */
  readonly variables: readonly OpenScheduleVariable[] | undefined
}

/** A variable of a schedule for its pipelines (spec ci 2.10). */
const ScheduleVariable = entity(
  'PipelineScheduleVariable',
  { variable_type: z.enum(['env_var', 'file']), key: z.string(), value: z.string(), raw: z.boolean() },
  row<OpenScheduleVariable>(),
)

const fields = {
  id: z.int(),
  description: z.string(),
  ref: z.string(),
  cron: z.string(),
  cron_timezone: z.string(),
  next_run_at: time().nullable(),
  active: z.boolean(),
  created_at: time(),
  updated_at: time(),
  owner: UserBasic.schema.nullable(),
}

function presentSchedule({ row, owner }: ScheduleView, at: Presentation) {
  return {
    id: row.id,
    description: row.description,
    ref: row.ref,
    cron: row.cron,
    cron_timezone: row.cron_timezone,
    next_run_at: row.next_run_at,
    active: row.active,
    created_at: row.created_at,
    updated_at: row.updated_at,
    owner: owner && UserBasic.present(owner, at),
  }
}

/** A schedule in a list (spec ci 2.10). */
const Schedule = entity('PipelineSchedule', fields, presentSchedule)

/** A single schedule (spec ci 2.10). */
const ScheduleDetails = entity(
  'PipelineScheduleDetails',
  {
    ...fields,
    last_pipeline: PipelineBasic.schema.nullable(),
    variables: z.array(ScheduleVariable.schema).optional(),
  },
  (view: ScheduleDetailView, at) => ({
    ...presentSchedule(view, at),
    last_pipeline: view.last && PipelineBasic.present(view.last, at),
    ...(view.variables
      ? { variables: view.variables.map((variable) => ScheduleVariable.present(variable, at)) }
      : {}),
  }),
)

/** The answer after a schedule was started. */
const ScheduleStarted = entity('PipelineScheduleStarted', { message: z.string() }, () => ({
  message: '201 Created',
}))

const schedule = { pipeline_schedule_id: int({ min: 1 }).describe('The ID of the pipeline schedule') }
const key = text({ max: 1100 }).describe('The key of the variable: letters, digits and `_`')
const value = text().describe('The value, at most 10,000 characters')
const settings = {
  variable_type: choice('env_var', 'file')
    .optional()
    .describe('With `file`, the job receives the path of a file with the value'),
  raw: bool().optional().describe('Whether to use the value literally, without expanding variables in it'),
}
const variableFails = {
  400: 'A value is invalid',
  403: 'The caller is neither a maintainer nor the owner of the schedule, or may not set variables in the project',
}

export const postScheduleVariable = endpoint(
  'POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables',
  {
    summary: 'Create a pipeline schedule variable',
    scope: project,
    can: abilities.change_schedule,
    params: { ...schedule, key, value, ...settings },
    fails: variableFails,
    returns: created(ScheduleVariable),
    run: ({ project: owner, params: { pipeline_schedule_id, ...input }, ...ctx }) =>
      createVariable(ctx, owner, getSchedule(ctx, owner, pipeline_schedule_id), input),
  },
)

export const putScheduleVariable = endpoint(
  'PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key',
  {
    summary: 'Update a pipeline schedule variable',
    scope: project,
    can: abilities.change_schedule,
    params: { ...schedule, key, value: value.optional(), ...settings },
    fails: variableFails,
    returns: ok(ScheduleVariable),
    run: ({ project: owner, params: { pipeline_schedule_id, ...input }, ...ctx }) =>
      updateVariable(ctx, owner, getSchedule(ctx, owner, pipeline_schedule_id), input),
  },
)

export const deleteScheduleVariable = endpoint(
  'DELETE /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key',
  {
    summary: 'Delete a pipeline schedule variable',
    scope: project,
    can: abilities.change_schedule,
    params: { ...schedule, key },
    fails: { 403: 'The caller is neither a maintainer nor the owner of the schedule' },
    // The contract answers 202 with the deleted variable.
    returns: { ...ok(ScheduleVariable), status: 202 },
    run: ({ project: owner, params, ...ctx }) =>
      removeVariable(ctx, owner, getSchedule(ctx, owner, params.pipeline_schedule_id), params.key),
  },
)

const pipeline_schedule_id = int({ min: 1 }).describe('The ID of the pipeline schedule')
const description = text({ max: 1000 }).describe('The description')
const ref = text({ max: 1100 }).describe('The branch or tag of the pipelines')
const cron = text({ max: 1100 }).describe('The cron expression with five fields, such as `0 1 * * 5`')
const cron_timezone = text({ max: 255 }).describe(
  'The time zone of the cron expression, such as `Europe/Berlin`, `Berlin` or `UTC`',
)
const active = bool().describe('Whether the schedule is active')

const fails = {
  400: 'A value is invalid',
  403: 'The caller may not change the schedule, or may not run jobs on its protected branch or tag',
}

export const listSchedules = endpoint('GET /projects/:id/pipeline_schedules', {
  summary: 'List pipeline schedules',
  scope: project,
  can: abilities.read_schedules,
  params: {
    scope: choice('active', 'inactive').optional().describe('Filter by active or inactive schedules'),
  },
  returns: page(Schedule),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const { rows, total } = findSchedules(ctx, owner, params.scope, paging)
    return { rows: showSchedules(ctx, rows), total }
  },
})

export const getOneSchedule = endpoint('GET /projects/:id/pipeline_schedules/:pipeline_schedule_id', {
  summary: 'Get a single pipeline schedule',
  scope: project,
  can: abilities.read_schedules,
  params: { pipeline_schedule_id },
  volatile: true,
  returns: ok(ScheduleDetails),
  run: ({ project: owner, params, ...ctx }) =>
    showSchedule(ctx, owner, getSchedule(ctx, owner, params.pipeline_schedule_id)),
})

export const listSchedulePipelines = endpoint(
  'GET /projects/:id/pipeline_schedules/:pipeline_schedule_id/pipelines',
  {
    summary: 'List the pipelines of a pipeline schedule',
    scope: project,
    can: abilities.read_schedules,
    params: { pipeline_schedule_id },
    returns: page(PipelineBasic, { order_by: ['id'], sort: 'asc' }),
    run: ({ project: owner, params, paging, ...ctx }) =>
      findPipelinesOf(ctx, owner, getSchedule(ctx, owner, params.pipeline_schedule_id), paging),
  },
)

export const postSchedule = endpoint('POST /projects/:id/pipeline_schedules', {
  summary: 'Create a pipeline schedule',
  scope: project,
  can: abilities.create_schedule,
  params: {
    description,
    ref,
    cron,
    cron_timezone: cron_timezone.default('UTC'),
    active: active.default(true),
  },
  fails,
  returns: created(ScheduleDetails),
  run: async ({ project: owner, params, ...ctx }) =>
    showSchedule(ctx, owner, await createSchedule(ctx, owner, params)),
})

export const putSchedule = endpoint('PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id', {
  summary: 'Update a pipeline schedule',
  scope: project,
  can: abilities.change_schedule,
  params: {
    pipeline_schedule_id,
    description: description.optional(),
    ref: ref.optional(),
    cron: cron.optional(),
    cron_timezone: cron_timezone.optional(),
    active: active.optional(),
  },
  fails,
  returns: ok(ScheduleDetails),
  run: async ({ project: owner, params: { pipeline_schedule_id: id, ...input }, ...ctx }) =>
    showSchedule(ctx, owner, await updateSchedule(ctx, owner, getSchedule(ctx, owner, id), input)),
})

export const takeSchedule = endpoint(
  'POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/take_ownership',
  {
    summary: 'Take ownership of a pipeline schedule',
    scope: project,
    can: abilities.take_schedule,
    params: { pipeline_schedule_id },
    returns: created(ScheduleDetails),
    run: ({ project: owner, params, ...ctx }) =>
      showSchedule(ctx, owner, takeOwnership(ctx, getSchedule(ctx, owner, params.pipeline_schedule_id))),
  },
)

export const postSchedulePlay = endpoint('POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/play', {
  summary: 'Run a pipeline schedule now',
  scope: project,
  can: abilities.change_schedule,
  params: { pipeline_schedule_id },
  fails: { 403: 'The caller may not run jobs on the protected branch or tag' },
  returns: created(ScheduleStarted),
  run: ({ project: owner, params, ...ctx }) =>
    playSchedule(ctx, owner, getSchedule(ctx, owner, params.pipeline_schedule_id)),
})

export const deleteSchedule = endpoint('DELETE /projects/:id/pipeline_schedules/:pipeline_schedule_id', {
  summary: 'Delete a pipeline schedule',
  scope: project,
  can: abilities.change_schedule,
  params: { pipeline_schedule_id },
  fails: { 403: 'The caller is neither a maintainer nor the owner of the schedule' },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const row = getSchedule(ctx, owner, params.pipeline_schedule_id)
    http.unmodifiedSince(row.updated_at)
    removeSchedule(ctx, owner, row)
  },
})

/** Loads the data for the entity `Schedule`. */
function showSchedules(ctx: Pick<Ctx, 'db'>, rows: readonly ScheduleRow[]): ScheduleView[] {
  const owners = usersById(
    ctx.db,
    rows.flatMap((row) => row.owner_id ?? []),
  )
  return rows.map((row) => ({ row, owner: owners.get(row.owner_id ?? 0) ?? null }))
}

/** Loads the data for the entity `ScheduleDetails`. Only users who may change a schedule see its variables. */
function showSchedule(ctx: Ctx, project: Project, row: ScheduleRow): ScheduleDetailView {
  const last = store.lastPipeline(ctx.db, row.id)
  return {
    ...showSchedules(ctx, [row])[0]!,
    last: last ? withPaths(project, [last])[0]! : null,
    variables: mayChange(ctx, project, row) ? openVariablesOf(ctx, row.id) : undefined,
  }
}
