import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { text } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import {
  type Author,
  type CommitWeek,
  type ContributorQuery,
  findCommitWeeks,
  findContributors,
} from './service.ts'
import { date, entity } from '../../../http/entity.ts'

/** An author with the number of their commits. Lines are not counted (spec core 4.1). */
const Contributor = entity(
  'Contributor',
  { name: z.string(), email: z.string(), commits: z.int(), additions: z.int(), deletions: z.int() },
  ({ name, email, commits }: Author) => ({ name, email, commits, additions: 0, deletions: 0 }),
)

/** Commits per week, for the charts. Weeks without commits are left out. */
const CommitWeeks = entity(
  'CommitWeeks',
  { cut: z.boolean(), weeks: z.array(z.strictObject({ week: date(), commits: z.int() })) },
  ({ cut, weeks }: { readonly cut: boolean; readonly weeks: CommitWeek[] }) => ({ cut, weeks }),
)

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
