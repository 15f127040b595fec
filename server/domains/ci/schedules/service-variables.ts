import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { invalid, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { ScheduleChanged } from '../events.ts'
import { checkVariable } from '../variables/validation.ts'
import { checkMayChange, checkMaySetVariables } from './service.ts'
import type { ScheduleRow } from './store.ts'
import * as store from './store-variables.ts'
import type { OpenScheduleVariable, ScheduleVariableRow } from './store-variables.ts'

/** The fields of a variable next to its key. */
export interface ScheduleVariableFields {
  readonly value: string
  readonly variable_type: 'env_var' | 'file'
  readonly raw: boolean
}

/** Most variables of one schedule; every pipeline gets all of them. */
const MOST = 1000

/** The variable of a name. Throws `404 Variable Not Found`. */
export function getVariable(ctx: Ctx, { id }: ScheduleRow, key: string): ScheduleVariableRow {
  const row = store.byKey(ctx.db, id, key)
  if (!row) throw notFound('Variable')
  return row
}

/** Adds a variable. Throws 400 by field, and 403 if the actor may not change the schedule. */
export function createVariable(
  ctx: Ctx,
  project: Project,
  schedule: ScheduleRow,
  { key, ...given }: Partial<ScheduleVariableFields> & { key: string; value: string },
): OpenScheduleVariable {
  checkMay(ctx, project, schedule)
  return tx(ctx.db, () => {
    if (store.byKey(ctx.db, schedule.id, key)) throw invalid({ key: 'has already been taken' })
    if (store.count(ctx.db, schedule.id) >= MOST)
      throw invalid({ base: `Maximum number of variables (${MOST}) exceeded` })
    return write(ctx, schedule, key, { variable_type: 'env_var', raw: false, ...given })
  })
}

/** Changes a variable. Throws 400 by field, and 403 if the actor may not change the schedule. */
export function updateVariable(
  ctx: Ctx,
  project: Project,
  schedule: ScheduleRow,
  { key, ...given }: Partial<ScheduleVariableFields> & { key: string },
): OpenScheduleVariable {
  checkMay(ctx, project, schedule)
  const before = store.opened(ctx, getVariable(ctx, schedule, key))
  const variable_type = before.variable_type
  const fields = { value: before.value, variable_type, raw: before.raw, ...given }
  return tx(ctx.db, () => write(ctx, schedule, key, fields))
}

/** Removes a variable and returns it. */
export function removeVariable(
  ctx: Ctx,
  project: Project,
  schedule: ScheduleRow,
  key: string,
): OpenScheduleVariable {
  checkMayChange(ctx, project, schedule)
  const row = getVariable(ctx, schedule, key)
  tx(ctx.db, () => {
    store.remove(ctx.db, row)
    publishChange(ctx, schedule)
  })
  return store.opened(ctx, row)
}

function checkMay(ctx: Ctx, project: Project, schedule: ScheduleRow): void {
  checkMayChange(ctx, project, schedule)
  checkMaySetVariables(ctx, project)
}

function write(
  ctx: Ctx,
  schedule: ScheduleRow,
  key: string,
  { value, variable_type, raw }: ScheduleVariableFields,
): OpenScheduleVariable {
  checkVariable({ key, value, masked: false, environment_scope: '*', description: null })
  const row = { schedule_id: schedule.id, key, variable_type, raw: raw }
  store.put(ctx.db, { ...row, value: store.sealed(ctx, value) })
  publishChange(ctx, schedule)
  return { ...row, value }
}

function publishChange(ctx: Ctx, { id, project_id }: ScheduleRow): void {
  publish(ctx, ScheduleChanged, { project_id, schedule_id: id, actor_id: ctx.actor.id })
}
