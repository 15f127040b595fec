import { endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { CommitWeeks, Contributor } from './entity.ts'
import { findCommitWeeks, findContributors, type ContributorQuery } from './service.ts'

export const listContributors = endpoint('GET /projects/:id/repository/contributors', {
  summary: 'List contributors',
  scope: project,
  can: abilities.read_code,
  params: {
    ref: text({ max: 1100 }).optional().describe('Branch, tag or commit id (default: the default branch)'),
  },
  returns: page(Contributor, { order_by: ['commits', 'name', 'email'], sort: 'asc' }),
  run: async ({ project: owner, params, paging, http, ...ctx }) => {
    const order_by = paging.order_by as ContributorQuery['order_by']
    const query = { ref: params.ref, order_by, sort: paging.sort }
    const all = await findContributors(ctx, owner, query, http.signal)
    return { rows: all.slice(paging.offset, paging.offset + paging.limit), total: all.length }
  },
})

export const chartCommits = endpoint('GET /-/projects/:id/contributors/charts', {
  summary: 'Count the commits of a ref by week',
  scope: project,
  can: abilities.read_code,
  params: {
    ref: text({ max: 1100 }).optional().describe('Branch, tag or commit id (default: the default branch)'),
    author: text({ max: 1000 })
      .optional()
      .describe('Count only commits with this email address of the author'),
  },
  returns: ok(CommitWeeks),
  run: ({ project: owner, params, http, ...ctx }) => findCommitWeeks(ctx, owner, params, http.signal),
})
