import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import type { JobRow } from '../jobs/store.ts'
import * as store from './store.ts'
import { declaredUrlOf } from './store-jobs.ts'

/**
 * The `CI_ENVIRONMENT_*` variables of a job (spec ci 2.13); none without an environment. The URL comes from the configuration
 * of the job, with its variables not yet replaced, or else from the environment.
 */
export function environmentVariables(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  job: Pick<JobRow, 'id' | 'environment' | 'environment_action'>,
): { key: string; value: string }[] {
  if (job.environment === null) return []
  const environment = store.byName(ctx.db, project.id, job.environment)
  if (!environment) return [{ key: 'CI_ENVIRONMENT_NAME', value: job.environment }]
  const url = declaredUrlOf(ctx.db, job.id) ?? environment.external_url
  return [
    { key: 'CI_ENVIRONMENT_NAME', value: environment.name },
    { key: 'CI_ENVIRONMENT_SLUG', value: environment.slug },
    ...(url ? [{ key: 'CI_ENVIRONMENT_URL', value: url }] : []),
    { key: 'CI_ENVIRONMENT_ACTION', value: job.environment_action ?? 'start' },
    { key: 'CI_ENVIRONMENT_TIER', value: environment.tier },
  ]
}
