import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { DEVELOPER, MAINTAINER } from '../../../policy/levels.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { maySetVariables, mayRunOn } from '../pipelines/creation/rights.ts'
import { targetOf } from '../pipelines/creation/target.ts'
import type { ScheduleRow } from './store.ts'

/** Whether the actor may change a schedule and see its variables: a maintainer, or its owner while a developer. */
export function mayChange(ctx: Ctx, project: Project, row: Pick<ScheduleRow, 'owner_id'>): boolean {
  if (ctx.actor.is_admin) return true
  const role = scope.roleOf(ctx, project)
  return role >= MAINTAINER || (role >= DEVELOPER && row.owner_id !== null && row.owner_id === ctx.actor.id)
}

/** Throws 403 for whom the schedule is not theirs to change. */
export function checkMayChange(ctx: Ctx, project: Project, row: Pick<ScheduleRow, 'owner_id'>): void {
  if (!mayChange(ctx, project, row)) throw fail('forbidden')
}

/** Throws 403 where only maintainers give pipelines variables. */
export function checkMaySetVariables(ctx: Ctx, project: Project): void {
  if (maySetVariables(ctx, project)) return
  throw forbidden('set pipeline schedule variables')
}

/** Throws 403 where protections keep the actor from running pipelines on the branch or tag. */
export async function checkRef(
  ctx: Ctx,
  project: Project,
  ref: string,
  doing: 'create' | 'update' | 'play',
): Promise<void> {
  if (await mayRun(ctx, project, ref)) return
  throw forbidden(`${doing} the pipeline schedule`)
}

/** A name that is nothing yet is taken for a branch; one that is both has to be open as both. */
async function mayRun(ctx: Ctx, project: Project, ref: string): Promise<boolean> {
  const found = project.empty_repo ? null : await targetOf(ctx, project, ref)
  if (found !== null && found !== 'ambiguous') return mayRunOn(ctx, project, found)
  const kinds = found === 'ambiguous' ? (['branch', 'tag'] as const) : (['branch'] as const)
  return kinds.every((kind) => mayRunOn(ctx, project, { ref: ref.replace(/^refs\/heads\//, ''), kind }))
}

function forbidden(what: string) {
  return fail('forbidden', `403 Forbidden - The current user is not authorized to ${what}`)
}
