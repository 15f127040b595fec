import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, int, text } from '../../../http/params.ts'
import { created, ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { ScheduleVariable } from './entity.ts'
import { abilities } from './policy.ts'
import { getSchedule } from './service.ts'
import { createVariable, removeVariable, updateVariable } from './service-variables.ts'

const schedule = { pipeline_schedule_id: int({ min: 1 }).describe('The ID of the pipeline schedule') }
const key = text({ max: 1100 }).describe('The key of the variable: letters, digits and `_`')
const value = text().describe('The value, at most 10,000 characters')
const settings = {
  variable_type: choice('env_var', 'file')
    .optional()
    .describe('`file`: write the value to a file and pass its path'),
  raw: bool().optional().describe('Whether the value is not expanded'),
}
const fails = {
  400: 'A value is not acceptable',
  403: 'The caller is neither a maintainer nor the owner of the schedule, or the project does not let them set variables',
}

export const postScheduleVariable = endpoint(
  'POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables',
  {
    summary: 'Create a pipeline schedule variable',
    scope: project,
    can: abilities.change_schedule,
    params: { ...schedule, key, value, ...settings },
    fails,
    returns: created(ScheduleVariable),
    run: ({ project: owner, params: { pipeline_schedule_id, ...given }, ...ctx }) =>
      createVariable(ctx, owner, getSchedule(ctx, owner, pipeline_schedule_id), given),
  },
)

export const putScheduleVariable = endpoint(
  'PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key',
  {
    summary: 'Update a pipeline schedule variable',
    scope: project,
    can: abilities.change_schedule,
    params: { ...schedule, key, value: value.optional(), ...settings },
    fails,
    returns: ok(ScheduleVariable),
    run: ({ project: owner, params: { pipeline_schedule_id, ...given }, ...ctx }) =>
      updateVariable(ctx, owner, getSchedule(ctx, owner, pipeline_schedule_id), given),
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
    // The reference answers 202 with the deleted variable.
    returns: { ...ok(ScheduleVariable), status: 202 },
    run: ({ project: owner, params, ...ctx }) =>
      removeVariable(ctx, owner, getSchedule(ctx, owner, params.pipeline_schedule_id), params.key),
  },
)
