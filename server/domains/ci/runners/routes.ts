import type { Ctx } from '../../../ctx.ts'
import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { choice } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { JobOfRunner } from '../jobs/entity.ts'
import { Runner, RunnerDetails, RunnerManager } from './entity.ts'
import { anyRunner, runnersOf, type RunnerFilter } from './store-list.ts'
import { managersOf } from './managers.ts'
import { active, filterIn, filters, id, notBoth, scope, scopeOfAll, settings, settingsIn } from './params.ts'
import { insistManages, maySee } from './rights.ts'
import { findRunner, removeRunnerById, resetRunnerToken, updateRunner } from './service.ts'
import type { ManagerRow, RunnerRow } from './store.ts'
import { ResetToken } from './token-entity.ts'
import { jobsOfRunner, listRunners, showRunner, type RunnerDetailsView } from './views.ts'

const fails = { 403: '403 Forbidden - No access granted', 404: '404 Runner Not Found' }
const JOB_STATUSES = ['running', 'success', 'failed', 'canceled'] as const

export const listOwnRunners = endpoint('GET /runners', {
  summary: 'List the runners of the projects and groups that one maintains',
  can: 'signed_in',
  params: { ...filters, scope },
  returns: page(Runner),
  run: (ctx) => ownRunners(ctx, filterIn(ctx.params), ctx.paging),
})

export const listAllRunners = endpoint('GET /runners/all', {
  summary: 'List all runners of the instance',
  can: 'admin',
  params: { ...filters, scope: scopeOfAll },
  returns: page(Runner),
  run: (ctx) => allRunners(ctx, filterIn(ctx.params), ctx.paging),
})

export const getOneRunner = endpoint('GET /runners/:id', {
  summary: 'Get a runner',
  can: 'signed_in',
  params: { id },
  fails,
  returns: ok(RunnerDetails),
  run: (ctx) => getRunner(ctx, ctx.params.id),
})

export const changeRunner = endpoint('PUT /runners/:id', {
  summary: 'Change a runner',
  can: 'signed_in',
  params: { id, ...settings, active },
  together: [atLeastOne(...Object.keys(settings), 'active'), notBoth],
  fails: { ...fails, 400: 'What is wrong, by field' },
  returns: ok(RunnerDetails),
  run: (ctx) => showRunner(ctx, updateRunner(ctx, ctx.params.id, settingsIn(ctx.params))),
})

export const deleteRunner = endpoint('DELETE /runners/:id', {
  summary: 'Remove a runner',
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
  summary: 'List the jobs that a runner took',
  can: 'signed_in',
  params: {
    id,
    status: choice(...JOB_STATUSES)
      .optional()
      .describe('How they stand'),
  },
  fails,
  returns: page(JobOfRunner, { order_by: ['id'], sort: 'desc' }),
  run: (ctx) => {
    const { limit, offset, sort } = ctx.paging
    return jobsOfRunner(ctx, ctx.params.id, { status: ctx.params.status, sort, limit, offset })
  },
})

export const listManagers = endpoint('GET /runners/:id/managers', {
  summary: 'List the processes that use the token of a runner',
  can: 'signed_in',
  params: { id },
  fails,
  returns: page(RunnerManager),
  run: (ctx) => managersSeen(ctx, ctx.params.id, ctx.paging),
})

export const resetTokenOfRunner = endpoint('POST /runners/:id/reset_authentication_token', {
  summary: 'Give a runner another token',
  can: 'signed_in',
  params: { id },
  fails,
  returns: created(ResetToken),
  run: (ctx) => {
    const row = findRunner(ctx, ctx.params.id)
    insistManages(ctx, row)
    return resetRunnerToken(ctx, row)
  },
})

interface Page {
  readonly limit: number
  readonly offset: number
}

/** All runners there are, for administrators. */
function allRunners(ctx: Ctx, filter: RunnerFilter, page: Page) {
  return listRunners(ctx, anyRunner, filter, page)
}

/** Runners of the projects and groups that somebody maintains. */
function ownRunners(ctx: Ctx, filter: RunnerFilter, page: Page) {
  return listRunners(ctx, runnersOf(ctx, MAINTAINER), filter, page)
}

/** A runner that the reader may see. Throws 404, and the 403 of the contract. */
function readRunner(ctx: Ctx, id: number): RunnerRow {
  const row = findRunner(ctx, id)
  if (!maySee(ctx, row)) throw fail('forbidden', '403 Forbidden - No access granted')
  return row
}

/** A runner by itself. */
function getRunner(ctx: Ctx, id: number): RunnerDetailsView {
  return showRunner(ctx, readRunner(ctx, id))
}

/** The processes that use the token of a runner. */
function managersSeen(ctx: Ctx, id: number, page: Page): { rows: ManagerRow[]; total: number } {
  const all = managersOf(ctx.db, readRunner(ctx, id).id)
  return { rows: all.slice(page.offset, page.offset + page.limit), total: all.length }
}
