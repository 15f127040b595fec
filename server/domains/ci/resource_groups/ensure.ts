import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import * as store from './store.ts'

const MAX_KEY = 255

/** As names of environments: letters, digits, spaces and some signs, no slash at the ends. */
const KEY = /^[A-Za-z0-9_${}. -](?:[A-Za-z0-9_/${}. -]*[A-Za-z0-9_${}. -])?$/

/**
 * The resource group that a job names, its variables put in; made when it is first named. Null for a name that is none:
 * the job runs without a group then (spec ci 2.11). To be called in the transaction that stores the job.
 */
export function resourceGroupFor(
  ctx: Pick<Ctx, 'db' | 'now'>,
  project: Pick<Project, 'id'>,
  key: string,
): number | null {
  if (key.length > MAX_KEY || !KEY.test(key)) return null
  return store.ensure(ctx.db, project.id, key, ctx.now).id
}
