import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, decimal, int, text } from '../../../http/params.ts'
import { created, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { CommitStatus } from './entity.ts'
import { abilities } from './policy.ts'
import { findStatuses, report } from './service.ts'

const sha = text({ max: 1100 }).describe('Id of the commit, or the name of a branch or tag')

export const listCommitStatuses = endpoint('GET /projects/:id/repository/commits/:sha/statuses', {
  summary: 'List the statuses of a commit',
  scope: project,
  can: abilities.read_commit_status,
  params: {
    sha,
    ref: text({ max: 1100 }).optional().describe('Only of this branch or tag'),
    stage: text({ max: 255 }).optional().describe('Only of this stage'),
    name: text({ max: 255 }).optional().describe('Only of this name'),
    all: bool().default(false).describe('With the earlier statuses of the same name and ref'),
  },
  returns: page(CommitStatus, { order_by: ['id', 'pipeline_id'], sort: 'asc' }),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findStatuses(ctx, owner, {
      ...params,
      sort: paging.sort,
      limit: paging.limit,
      offset: paging.offset,
    }),
})

export const postCommitStatus = endpoint('POST /projects/:id/statuses/:sha', {
  summary: 'Report about a commit',
  scope: project,
  can: abilities.create_commit_status,
  params: {
    sha,
    state: choice('pending', 'running', 'success', 'failed', 'canceled').describe('What is reported'),
    ref: text({ max: 1100 }).optional().describe('Branch or tag; otherwise a branch that holds the commit'),
    name: text({ max: 4096 }).optional().describe('Tells it from other statuses (default `default`)'),
    context: text({ max: 4096 }).optional().describe('The same as `name`'),
    target_url: text({ max: 4096 }).optional().describe('Where more is to be read'),
    description: text({ max: 4096 }).optional().describe('A short sentence'),
    coverage: decimal().optional().describe('Share of the code that tests ran through, percent'),
    pipeline_id: int().optional().describe('Pipeline that the status belongs to'),
  },
  fails: { 400: 'A text is too long, or the step cannot be taken from the present state' },
  returns: created(CommitStatus),
  run: ({ project: owner, params, ...ctx }) => report(ctx, owner, params),
})
