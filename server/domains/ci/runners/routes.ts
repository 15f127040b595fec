import type { Ctx } from '../../../ctx.ts'
import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { choice, int } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { JobOfRunner } from '../jobs/entity.ts'
import { Runner, RunnerDetails, RunnerManager, ResetToken } from './entity.ts'
import { anyRunner, runnersForProject, runnersForGroup, runnersOf, type RunnerFilter } from './store-list.ts'
import { managersOf } from './contact.ts'
import { active, filterIn, filters, id, notBoth, scope, scopeOfAll, settings, settingsIn } from './params.ts'
import { requireManager, maySee } from '../visibility.ts'
import {
  assignRunner,
  findRunner,
  removeRunnerById,
  resetRunnerToken,
  unassignRunner,
  updateRunner,
} from './service.ts'
import type { ManagerRow, RunnerRow } from './store.ts'
import { jobsOfRunner, listRunners, showRunner, type RunnerDetailsView } from './views.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { abilities, groupAbilities } from '../policy.ts'
import { resetProjectToken, resetGroupToken } from './registration-token.ts'

const fails = { 403: '403 Forbidden - No access granted', 404: '404 Runner Not Found' }
const JOB_STATUSES = ['running', 'success', 'failed', 'canceled'] as const

export const listOwnRunners = endpoint('GET /runners', {
  summary: 'List available runners',
  can: 'signed_in',
  params: { ...filters, scope },
  returns: page(Runner),
  run: (ctx) => ownRunners(ctx, filterIn(ctx.params), ctx.paging),
})

export const listAllRunners = endpoint('GET /runners/all', {
  summary: 'List all runners',
  can: 'admin',
  params: { ...filters, scope: scopeOfAll },
  returns: page(Runner),
  run: (ctx) => allRunners(ctx, filterIn(ctx.params), ctx.paging),
})

export const getOneRunner = endpoint('GET /runners/:id', {
  summary: 'Get a single runner',
  can: 'signed_in',
  params: { id },
  fails,
  returns: ok(RunnerDetails),
  run: (ctx) => getRunner(ctx, ctx.params.id),
})

export const changeRunner = endpoint('PUT /runners/:id', {
  summary: 'Update a runner',
  can: 'signed_in',
  params: { id, ...settings, active },
  parameterRules: [atLeastOne(...Object.keys(settings), 'active'), notBoth],
  fails: { ...fails, 400: 'The errors of each field' },
  returns: ok(RunnerDetails),
  run: (ctx) => showRunner(ctx, updateRunner(ctx, ctx.params.id, settingsIn(ctx.params))),
})

export const deleteRunner = endpoint('DELETE /runners/:id', {
  summary: 'Delete a runner',
  can: 'signed_in',
  params: { id },
  fails: { ...fails, 403: '403 Forbidden - Runner associated with more than one project' },
  returns: noContent,
  run: (ctx) => {
    ctx.http.unmodifiedSince(findRunner(ctx, ctx.params.id).updated_at)
    removeRunnerById(ctx, ctx.params.id)
  },
})

export const listJobsOfRunner = endpoint('GET /runners/:id/jobs', {
  summary: 'List jobs of a runner',
  can: 'signed_in',
  params: {
    id,
    status: choice(...JOB_STATUSES)
      .optional()
      .describe('Filter by status'),
  },
  fails,
  returns: page(JobOfRunner, { order_by: ['id'], sort: 'desc' }),
  run: (ctx) => {
    const { limit, offset, sort } = ctx.paging
    return jobsOfRunner(ctx, ctx.params.id, { status: ctx.params.status, sort, limit, offset })
  },
})

export const listManagers = endpoint('GET /runners/:id/managers', {
  summary: 'List runner managers',
  can: 'signed_in',
  params: { id },
  fails,
  returns: page(RunnerManager),
  run: (ctx) => managersPage(ctx, ctx.params.id, ctx.paging),
})

export const resetTokenOfRunner = endpoint('POST /runners/:id/reset_authentication_token', {
  summary: 'Reset the authentication token of a runner',
  can: 'signed_in',
  params: { id },
  fails,
  returns: created(ResetToken),
  run: (ctx) => {
    const row = findRunner(ctx, ctx.params.id)
    requireManager(ctx, row)
    return resetRunnerToken(ctx, row)
  },
})

interface Page {
  readonly limit: number
  readonly offset: number
}

/** All runners, for administrators. */
function allRunners(ctx: Ctx, filter: RunnerFilter, page: Page) {
  return listRunners(ctx, anyRunner, filter, page)
}

/** The runners of the projects and groups that the actor maintains. */
function ownRunners(ctx: Ctx, filter: RunnerFilter, page: Page) {
  return listRunners(ctx, runnersOf(ctx, MAINTAINER), filter, page)
}

/** Returns a runner. Throws 404 if it does not exist, and 403 if the actor may not see it. */
function readRunner(ctx: Ctx, id: number): RunnerRow {
  const row = findRunner(ctx, id)
  if (!maySee(ctx, row)) throw fail('forbidden', '403 Forbidden - No access granted')
  return row
}

/** The details of a runner. */
function getRunner(ctx: Ctx, id: number): RunnerDetailsView {
  return showRunner(ctx, readRunner(ctx, id))
}

/** A page of the processes that use the token of a runner. */
function managersPage(ctx: Ctx, id: number, page: Page): { rows: ManagerRow[]; total: number } {
  const all = managersOf(ctx.db, readRunner(ctx, id).id)
  return { rows: all.slice(page.offset, page.offset + page.limit), total: all.length }
}

const runner_id = int({ min: 1 }).describe('The ID of the runner')

export const listProjectRunners = endpoint('GET /projects/:id/runners', {
  summary: 'List project runners',
  scope: project,
  can: abilities.manage_project_runners,
  params: { ...filters, scope },
  returns: page(Runner),
  run: (ctx) => listRunners(ctx, runnersForProject(ctx.project), filterIn(ctx.params), ctx.paging),
})

export const addProjectRunner = endpoint('POST /projects/:id/runners', {
  summary: 'Assign a runner to a project',
  scope: project,
  can: abilities.manage_project_runners,
  params: { runner_id },
  fails: {
    400: 'The runner is already assigned to the project, or is an instance runner',
    403: '403 Forbidden - Runner is locked',
    404: '404 Runner Not Found',
  },
  returns: created(Runner),
  run: (ctx) => showRunner(ctx, assignRunner(ctx, ctx.project.id, ctx.params.runner_id)).row,
})

export const removeProjectRunner = endpoint('DELETE /projects/:id/runners/:runner_id', {
  summary: 'Unassign a runner from a project',
  scope: project,
  can: abilities.manage_project_runners,
  params: { runner_id },
  fails: { 403: '403 Forbidden - Only one project associated with the runner', 404: '404 Runner Not Found' },
  returns: noContent,
  run: (ctx) => unassignRunner(ctx, ctx.project.id, ctx.params.runner_id),
})

export const resetProjectRegistrationToken = endpoint('POST /projects/:id/runners/reset_registration_token', {
  summary: 'Reset the runner registration token of a project',
  scope: project,
  can: abilities.manage_project_runners,
  returns: created(ResetToken),
  run: (ctx) => ({ token: resetProjectToken(ctx, ctx.project) }),
})

export const listGroupRunners = endpoint('GET /groups/:id/runners', {
  summary: 'List group runners',
  scope: group,
  can: groupAbilities.read_group_runners,
  params: filters,
  returns: page(Runner),
  run: (ctx) => listRunners(ctx, runnersForGroup(ctx.group), filterIn(ctx.params), ctx.paging),
})

export const resetGroupRegistrationToken = endpoint('POST /groups/:id/runners/reset_registration_token', {
  summary: 'Reset the runner registration token of a group',
  scope: group,
  can: groupAbilities.manage_group_runners,
  returns: created(ResetToken),
  run: (ctx) => ({ token: resetGroupToken(ctx, ctx.group) }),
})
