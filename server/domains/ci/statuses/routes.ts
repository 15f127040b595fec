import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, decimal, int, text } from '../../../http/params.ts'
import { created, page } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { abilities } from '../policy.ts'
import { findStatuses, setStatus, type StatusView } from './service.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'

/** The status of a commit, from another system or from a CI job (spec core 4.6). */
const CommitStatus = entity(
  'CommitStatus',
  {
    id: z.int(),
    sha: z.string(),
    ref: z.string().nullable(),
    status: z.string(),
    name: z.string(),
    target_url: z.string().nullable(),
    description: z.string().nullable(),
    created_at: time(),
    started_at: time().nullable(),
    finished_at: time().nullable(),
    allow_failure: z.boolean(),
    coverage: z.number().nullable(),
    author: UserBasic.schema.nullable(),
  },
  row<StatusView>(),
  (row, at) => ({
    // The target URL of a job is its page.
    target_url: row.kind === 'job' ? `${at.url}/${row.path}/-/jobs/${row.id}` : row.target_url,
    author: row.author && UserBasic.present(row.author, at),
  }),
)

const sha = text({ max: 1100 }).describe('The commit SHA, or the name of a branch or tag')

export const listCommitStatuses = endpoint('GET /projects/:id/repository/commits/:sha/statuses', {
  summary: 'List the statuses of a commit',
  scope: project,
  can: abilities.read_commit_status,
  params: {
    sha,
    ref: text({ max: 1100 }).optional().describe('Filter by branch or tag'),
    stage: text({ max: 255 }).optional().describe('Filter by stage'),
    name: text({ max: 255 }).optional().describe('Filter by name'),
    all: bool().default(false).describe('Include earlier statuses of the same name and ref'),
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
  summary: 'Set the status of a commit',
  scope: project,
  can: abilities.create_commit_status,
  params: {
    sha,
    state: choice('pending', 'running', 'success', 'failed', 'canceled').describe('The state of the status'),
    ref: text({ max: 1100 })
      .optional()
      .describe('The branch or tag. The default is a branch that contains the commit'),
    name: text({ max: 4096 })
      .optional()
      .describe('The name that distinguishes the status from others. The default is `default`'),
    context: text({ max: 4096 }).optional().describe('Same as `name`'),
    target_url: text({ max: 4096 }).optional().describe('The URL of the details'),
    description: text({ max: 4096 }).optional().describe('A short description'),
    coverage: decimal().optional().describe('The test coverage in percent'),
    pipeline_id: int().optional().describe('The ID of the pipeline of the status'),
  },
  fails: { 400: 'A text is too long, or the state cannot follow the current one' },
  returns: created(CommitStatus),
  run: ({ project: owner, params, ...ctx }) => setStatus(ctx, owner, params),
})
