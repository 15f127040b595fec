import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { canRead, isAble } from '../../../policy/ability.ts'
import { findGroup, group } from '../../groups/index.ts'
import { findProject, project } from '../../projects/index.ts'
import { abilities, groupAbilities } from './policy.ts'
import type { RunnerPlace } from './registration-token.ts'
import { inSentences, type RunnerFields } from './rules.ts'
import { makeRunner, type MadeRunner } from './service.ts'
import type { RunnerType } from './store.ts'

/** Whom a person makes a runner for. */
export interface WantedPlace {
  readonly runner_type: RunnerType
  readonly group_id?: number | undefined
  readonly project_id?: number | undefined
}

/** Makes a runner in the name of somebody. Throws 403 without the right, and 400 in one sentence (spec ci 1.4). */
export function makeForUser(ctx: Ctx, wanted: WantedPlace, fields: Partial<RunnerFields>): MadeRunner {
  const place = placeOf(ctx, wanted)
  return inSentences(() => makeRunner(ctx, { place, origin: 'made', fields }))
}

function placeOf(ctx: Ctx, { runner_type, group_id, project_id }: WantedPlace): RunnerPlace {
  const noPlace = fail('bad_request', '400 Bad request - Missing/invalid scope')
  if (runner_type === 'instance_type') {
    if (!ctx.actor.is_admin) throw fail('forbidden')
    return { runner_type }
  }
  if (runner_type === 'group_type') {
    const found = group_id === undefined ? undefined : findGroup(ctx, String(group_id))
    if (!found || !canRead(ctx, group, found)) throw noPlace
    if (!isAble(ctx, group, groupAbilities.manage_group_runners, found, true)) throw fail('forbidden')
    return { runner_type, group_id: found.id }
  }
  const found = project_id === undefined ? undefined : findProject(ctx, String(project_id))
  if (!found || !canRead(ctx, project, found)) throw noPlace
  if (!isAble(ctx, project, abilities.manage_project_runners, found, true)) throw fail('forbidden')
  return { runner_type, project_id: found.id }
}
