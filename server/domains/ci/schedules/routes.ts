import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, int, text } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { project, type Project } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import { PipelineBasic } from '../pipelines/entity.ts'
import { placePipelines } from '../pipelines/service.ts'
import {
  Schedule,
  ScheduleDetails,
  type ScheduleDetailView,
  ScheduleStarted,
  type ScheduleView,
} from './entity.ts'
import { abilities } from './policy.ts'
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
} from './service.ts'
import type { ScheduleRow } from './store.ts'
import { openVariablesOf } from './store-variables.ts'
import * as store from './store.ts'

const pipeline_schedule_id = int({ min: 1 }).describe('Id of the schedule')
const description = text({ max: 1000 }).describe('What it is for')
const ref = text({ max: 1100 }).describe('Branch or tag that it runs for')
const cron = text({ max: 1100 }).describe('When it runs, five fields: `0 1 * * 5`')
const cron_timezone = text({ max: 255 }).describe(
  'Time zone of these times: `Europe/Berlin`, `Berlin`, `UTC`',
)
const active = bool().describe('Whether it runs by itself')

const fails = {
  400: 'A value is not acceptable',
  403: 'The schedule is somebody else’s, or the branch or tag is protected from the caller',
}

export const listSchedules = endpoint('GET /projects/:id/pipeline_schedules', {
  summary: 'List the pipeline schedules of a project',
  scope: project,
  can: abilities.read_schedules,
  params: { scope: choice('active', 'inactive').optional().describe('Only those that run, or do not') },
  returns: page(Schedule),
  run: ({ project: owner, params, paging, ...ctx }) => {
    const { rows, total } = findSchedules(ctx, owner, params.scope, paging)
    return { rows: showSchedules(ctx, rows), total }
  },
})

export const getOneSchedule = endpoint('GET /projects/:id/pipeline_schedules/:pipeline_schedule_id', {
  summary: 'Get a pipeline schedule',
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
    summary: 'List the pipelines that a schedule started',
    scope: project,
    can: abilities.read_schedules,
    params: { pipeline_schedule_id },
    returns: page(PipelineBasic, { order_by: ['id'], sort: 'asc' }),
    run: ({ project: owner, params, paging, ...ctx }) =>
      findPipelinesOf(ctx, owner, getSchedule(ctx, owner, params.pipeline_schedule_id), paging),
  },
)

export const postSchedule = endpoint('POST /projects/:id/pipeline_schedules', {
  summary: 'Make a pipeline schedule, which runs in the name of the caller',
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
  summary: 'Change a pipeline schedule',
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
  run: async ({ project: owner, params: { pipeline_schedule_id: id, ...given }, ...ctx }) =>
    showSchedule(ctx, owner, await updateSchedule(ctx, owner, getSchedule(ctx, owner, id), given)),
})

export const takeSchedule = endpoint(
  'POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/take_ownership',
  {
    summary: 'Make a pipeline schedule one’s own',
    scope: project,
    can: abilities.take_schedule,
    params: { pipeline_schedule_id },
    returns: created(ScheduleDetails),
    run: ({ project: owner, params, ...ctx }) =>
      showSchedule(ctx, owner, takeOwnership(ctx, getSchedule(ctx, owner, params.pipeline_schedule_id))),
  },
)

export const postSchedulePlay = endpoint('POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/play', {
  summary: 'Run a pipeline schedule now, in the name of the caller',
  scope: project,
  can: abilities.change_schedule,
  params: { pipeline_schedule_id },
  fails: { 403: 'The branch or tag is protected from the caller' },
  returns: created(ScheduleStarted),
  run: ({ project: owner, params, ...ctx }) =>
    playSchedule(ctx, owner, getSchedule(ctx, owner, params.pipeline_schedule_id)),
})

export const deleteSchedule = endpoint('DELETE /projects/:id/pipeline_schedules/:pipeline_schedule_id', {
  summary: 'Remove a pipeline schedule; its pipelines stay',
  scope: project,
  can: abilities.change_schedule,
  params: { pipeline_schedule_id },
  fails: { 403: 'For maintainers and the owner of the schedule' },
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const row = getSchedule(ctx, owner, params.pipeline_schedule_id)
    http.unmodifiedSince(row.updated_at)
    removeSchedule(ctx, owner, row)
  },
})

/** Schedules as lists show them. */
function showSchedules(ctx: Pick<Ctx, 'db'>, rows: readonly ScheduleRow[]): ScheduleView[] {
  const owners = usersById(
    ctx.db,
    rows.flatMap((row) => row.owner_id ?? []),
  )
  return rows.map((row) => ({ row, owner: owners.get(row.owner_id ?? 0) ?? null }))
}

/** One schedule; its variables may be secrets and are for those who may change it. */
function showSchedule(ctx: Ctx, project: Project, row: ScheduleRow): ScheduleDetailView {
  const last = store.lastPipeline(ctx.db, row.id)
  return {
    ...showSchedules(ctx, [row])[0]!,
    last: last ? placePipelines(project, [last])[0]! : null,
    variables: mayChange(ctx, project, row) ? openVariablesOf(ctx, row.id) : undefined,
  }
}
