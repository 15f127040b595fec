import type { Ctx } from '../../../ctx.ts'
import { as, type Shown } from '../../../http/entity.ts'
import type { Project } from '../../projects/index.ts'
import { showBridges } from './bridges.ts'
import { Bridge, Job } from './entity.ts'
import type { JobRow } from './store.ts'
import { showJob } from './view.ts'

/** A job or a trigger job, each in its own form. */
export async function showEither(ctx: Ctx, owner: Project, row: JobRow): Promise<Shown> {
  if (row.kind !== 'bridge') return as(Job, await showJob(ctx, owner, row)) as Shown
  return as(Bridge, (await showBridges(ctx, owner, [row]))[0]!) as Shown
}
