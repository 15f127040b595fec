import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { arrivalOf, deploymentOf } from '../../ci/index.ts'
import type { IssuablePage } from '../../planning/index.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { listMergeRequests, type ListFilter } from '../lists/service.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { abilities } from '../policy.ts'
import { deployedAt } from './link.ts'

/** One page of what a deployment brought; nothing unless it succeeded. Throws 404 for none, 403. */
export function listDeployed(
  ctx: Ctx,
  project: Project,
  filter: ListFilter & { readonly deployment_id: number },
  page: IssuablePage,
): Rows<MergeRequestRow> {
  const { deployment_id: id, ...rest } = filter
  if (!deploymentOf(ctx, project, id)) throw fail('not_found', '404 Not found')
  if (!isAble(ctx, scope, abilities.read_merge_request, project)) throw fail('forbidden')
  const arrival = arrivalOf(ctx, project, id)
  if (!arrival) return { rows: [], total: 0 }
  const at = deployedAt(arrival.deployment)
  const deployed = { environment: arrival.environment.name, deployed_after: at, deployed_before: at }
  return listMergeRequests(ctx, { project }, { ...rest, ...deployed }, page)
}
