import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { choice, int } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { planLimits } from '../store.ts'
import { LIMIT_NAMES, PLAN, type LimitName, type PlanLimits as Limits } from './types.ts'
import { changeLimits } from './service.ts'

const fields = Object.fromEntries(LIMIT_NAMES.map((name) => [name, z.int()])) as Record<LimitName, z.ZodInt>

/** The plan limits of the instance. */
const PlanLimits = entity('PlanLimits', fields, (limits: Limits) => {
  return Object.fromEntries(LIMIT_NAMES.map((name) => [name, limits[name]])) as Record<LimitName, number>
})

const plan_name = choice(PLAN).describe('Plan; there is one')

const HELP: Partial<Record<LimitName, string>> = {
  ci_pipeline_size: 'Jobs of one pipeline; 0 for any number',
  ci_active_jobs: 'Jobs of a project that wait or run, of the last day; 0 for any number',
  ci_project_subscriptions: 'Projects that a project may subscribe to',
  ci_pipeline_schedules: 'Schedules of a project; 0 for any number',
  ci_needs_size_limit: 'Maximum number of jobs that one job needs',
  ci_registered_group_runners: 'Runners of a group; 0 for any number',
  ci_registered_project_runners: 'Runners of a project; 0 for any number',
  storage_size_limit: 'Maximum size of a top-level group with its content in MB',
  pipeline_hierarchy_size: 'Maximum number of pipelines in the hierarchy of one pipeline',
}

const limits = Object.fromEntries(
  LIMIT_NAMES.map((name) => [
    name,
    int()
      .optional()
      .describe(HELP[name] ?? 'Maximum size of a package file in bytes'),
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
  fails: { 400: 'A limit is below 0' },
  returns: ok(PlanLimits),
  run: ({ params: { plan_name: _plan, ...changes }, ...ctx }) => changeLimits(ctx, changes),
})
