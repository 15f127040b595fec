import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { Rows } from '../../db/rows.ts'
import { listCommitIds } from '../../git/read/log.ts'
import { findObject } from '../../git/read/revisions.ts'
import { fail } from '../../lib/fail.ts'
import { hasAbility } from '../../policy/ability.ts'
import { successfulDeployment, deploymentOf, type SuccessfulDeployment } from '../ci/index.ts'
import type { IssuablePage } from '../planning/index.ts'
import { inRepository, project as scope, projectById, type Project } from '../projects/index.ts'
import { listMergeRequests, type ListFilter } from './lists/store.ts'
import { abilities } from './policy.ts'
import * as store from './store.ts'
import type { MergeRequestRow } from './types.ts'

/** The maximum number of commits of a deployment that are read, newest first. */
const MAX_COMMITS = 100_000

/** Returns the time when a deployment finished. */
export function deployedAt({ finished_at, updated_at }: SuccessfulDeployment['deployment']): string {
  return finished_at ?? updated_at
}

/**
 * Records which merge requests a successful deployment deployed: those with commits that the previous deployment to its
 * environment did not have.
 */
export async function linkDeployment(
  ctx: Ctx,
  event: { readonly project_id: number; readonly deployment_id: number },
): Promise<void> {
  const project = projectById(ctx.db, event.project_id)
  const arrival = project && successfulDeployment(ctx, project, event.deployment_id)
  if (!project || !arrival) return
  const { name: environment, tier } = arrival.environment
  const shas = await deployedCommits(ctx, project, arrival)
  const deployed = { environment, tier, deployed_at: deployedAt(arrival.deployment) }
  tx(ctx.db, () => store.saveDeployments(ctx.db, store.mergedWithCommits(ctx.db, project.id, shas), deployed))
}

function deployedCommits(
  ctx: Ctx,
  project: Project,
  { deployment, before }: SuccessfulDeployment,
): Promise<string[]> {
  return inRepository(ctx, project, async (repo) => {
    if ((await findObject(repo, deployment.sha, 'commit')) === null) return []
    const isKnown = before !== null && (await findObject(repo, before, 'commit')) !== null
    const range = { tips: [deployment.sha], not: isKnown ? [before] : [] }
    return listCommitIds(repo, range, { limit: MAX_COMMITS })
  })
}

/**
 * Lists the merge requests of a deployment. Empty unless it succeeded. Throws 404 for an unknown deployment, 403 for
 * readers who may not read merge requests.
 */
export function listRequestsOfDeployment(
  ctx: Ctx,
  project: Project,
  filter: ListFilter & { readonly deployment_id: number },
  page: IssuablePage,
): Rows<MergeRequestRow> {
  const { deployment_id: id, ...rest } = filter
  if (!deploymentOf(ctx, project, id)) throw fail('not_found', '404 Not found')
  if (!hasAbility(ctx, scope, abilities.read_merge_request, project)) throw fail('forbidden')
  const arrival = successfulDeployment(ctx, project, id)
  if (!arrival) return { rows: [], total: 0 }
  const at = deployedAt(arrival.deployment)
  const deployed = { environment: arrival.environment.name, deployed_after: at, deployed_before: at }
  return listMergeRequests(ctx, { project }, { ...rest, ...deployed }, page)
}
