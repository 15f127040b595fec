import { z } from 'zod'

import { entity, time, type Presentation, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { UserBasicRow } from '../../users/index.ts'
import { PipelineBasic, type PipelineWithPath } from '../pipelines/entity.ts'
import type { ScheduleRow, OpenScheduleVariable } from './store.ts'

/** A schedule with its owner. */
export interface ScheduleView {
  readonly row: ScheduleRow
  readonly owner: UserBasicRow | null
}

/** A schedule with the data of its page. */
export interface ScheduleDetailView extends ScheduleView {
  readonly last: PipelineWithPath | null
  /** Undefined for readers who may not see them. */
  readonly variables: readonly OpenScheduleVariable[] | undefined
}

/** A variable that a schedule gives to its pipelines (spec ci 2.10). */
export const ScheduleVariable = entity(
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

function shown({ row, owner }: ScheduleView, at: Presentation) {
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
export const Schedule = entity('PipelineSchedule', fields, shown)

/** One schedule (spec ci 2.10). */
export const ScheduleDetails = entity(
  'PipelineScheduleDetails',
  {
    ...fields,
    last_pipeline: PipelineBasic.schema.nullable(),
    variables: z.array(ScheduleVariable.schema).optional(),
  },
  (view: ScheduleDetailView, at) => ({
    ...shown(view, at),
    last_pipeline: view.last && PipelineBasic.present(view.last, at),
    ...(view.variables ? { variables: view.variables.map((one) => ScheduleVariable.present(one, at)) } : {}),
  }),
)

/** The answer after a schedule was started. */
export const ScheduleStarted = entity('PipelineScheduleStarted', { message: z.string() }, () => ({
  message: '201 Created',
}))
