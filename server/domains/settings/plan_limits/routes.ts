import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { choice, int } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { planLimits } from '../store.ts'
import { LIMIT_NAMES, PLAN, type LimitName, type PlanLimits as Limits } from './types.ts'
import { changePlanLimits } from './service.ts'

const fields = Object.fromEntries(LIMIT_NAMES.map((name) => [name, z.int()])) as Record<LimitName, z.ZodInt>

/** The plan limits of the instance. */
const PlanLimits = entity('PlanLimits', fields, (limits: Limits) => {
  return Object.fromEntries(LIMIT_NAMES.map((name) => [name, limits[name]])) as Record<LimitName, number>
})

const plan_name = choice(PLAN).describe('Name of the plan. Only `default` exists')

const DESCRIPTIONS: Partial<Record<LimitName, string>> = {
  ci_pipeline_size: 'Maximum number of jobs in a pipeline. 0 means no limit',
  ci_active_jobs:
    'Maximum number of pending and running jobs of a project, created in the last day. 0 means no limit',
  ci_project_subscriptions: 'Maximum number of projects that a project can subscribe to',
  ci_pipeline_schedules: 'Maximum number of pipeline schedules in a project. 0 means no limit',
  ci_needs_size_limit: 'Maximum number of needs of a job',
  ci_registered_group_runners: 'Maximum number of runners registered in a group. 0 means no limit',
  ci_registered_project_runners: 'Maximum number of runners registered in a project. 0 means no limit',
  storage_size_limit: 'Maximum storage size of a top-level group in MB',
  pipeline_hierarchy_size: 'Maximum number of downstream pipelines in the hierarchy of a pipeline',
}

const limits = Object.fromEntries(
  LIMIT_NAMES.map((name) => [
    name,
    int()
      .optional()
      .describe(DESCRIPTIONS[name] ?? 'Maximum size of a package file in bytes'),
  ]),
)

export const getPlanLimits = endpoint('GET /application/plan_limits', {
  summary: 'Get the plan limits of the instance',
  can: 'admin',
  params: { plan_name: plan_name.optional() },
  returns: ok(PlanLimits),
  run: (ctx) => planLimits(ctx.db),
})

export const updatePlanLimits = endpoint('PUT /application/plan_limits', {
  summary: 'Update the plan limits of the instance',
  can: 'admin',
  params: { plan_name, ...limits },
  fails: { 400: 'A limit is negative' },
  returns: ok(PlanLimits),
  run: ({ params: { plan_name: _plan, ...changes }, ...ctx }) => changePlanLimits(ctx, changes),
})
