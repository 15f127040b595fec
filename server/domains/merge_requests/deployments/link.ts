import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { listCommitIds } from '../../../git/log.ts'
import { findObject } from '../../../git/revisions.ts'
import { arrivalOf, type Arrival } from '../../ci/index.ts'
import { inRepository, projectById, type Project } from '../../projects/index.ts'
import * as store from './store.ts'

/** Commits of one deployment that are looked at, newest first. */
const MAX_COMMITS = 100_000

/** When a deployment counts as done. */
export function deployedAt({ finished_at, updated_at }: Arrival['deployment']): string {
  return finished_at ?? updated_at
}

/**
 * Notes which merge requests a successful deployment brought to its environment: those whose commits are in what was
 * deployed, and were not in what was there before.
 */
export async function linkDeployment(
  ctx: Ctx,
  event: { readonly project_id: number; readonly deployment_id: number },
): Promise<void> {
  const project = projectById(ctx.db, event.project_id)
  const arrival = project && arrivalOf(ctx, project, event.deployment_id)
  if (!project || !arrival) return
  const { name: environment, tier } = arrival.environment
  const shas = await broughtBy(ctx, project, arrival)
  const deployed = { environment, tier, deployed_at: deployedAt(arrival.deployment) }
  tx(ctx.db, () => store.link(ctx.db, store.mergedBy(ctx.db, project.id, shas), deployed))
}

function broughtBy(ctx: Ctx, project: Project, { deployment, before }: Arrival): Promise<string[]> {
  return inRepository(ctx, project, async (repo) => {
    if ((await findObject(repo, deployment.sha, 'commit')) === null) return []
    const isKnown = before !== null && (await findObject(repo, before, 'commit')) !== null
    const range = { tips: [deployment.sha], not: isKnown ? [before] : [] }
    return listCommitIds(repo, range, { limit: MAX_COMMITS })
  })
}
