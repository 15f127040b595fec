import { endpoint } from '../../../http/endpoint.ts'
import { choice, int, text } from '../../../http/params.ts'
import { created, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { project } from '../../projects/index.ts'
import { comment, commitKind, commitNoteable } from './commits.ts'
import { discussionEndpoints } from './discussion-routes.ts'
import { CommitComment } from './entity.ts'
import { MAX_NOTE_BODY, WRITE_LIMIT } from './note-routes.ts'
import { commitParam } from './params.ts'
import { abilities } from './policy.ts'
import { findNotes, noteTarget } from './service.ts'

export const listCommitComments = endpoint('GET /projects/:id/repository/commits/:sha/comments', {
  summary: 'List the comments of a commit',
  scope: project,
  can: abilities.read_commit_notes,
  params: { sha: commitParam },
  returns: page(CommitComment),
  run: async ({ project: owner, params, paging, ...ctx }) => {
    const target = noteTarget(ctx, owner, await commitNoteable(ctx, owner, params.sha))
    const { limit, offset } = paging
    const filter = { limit, offset, order_by: 'created_at', sort: 'asc', activity: 'only_comments' } as const
    return findNotes(ctx, target, filter)
  },
})

export const postCommitComment = endpoint('POST /projects/:id/repository/commits/:sha/comments', {
  summary: 'Create a comment on a commit',
  scope: project,
  can: abilities.create_commit_note,
  limit: WRITE_LIMIT,
  maxBody: MAX_NOTE_BODY,
  params: {
    sha: commitParam,
    note: text({ max: 2_000_000 }).describe('The text of the comment, in Markdown'),
    path: text({ max: 4096 }).optional().describe('The path of a file that the commit changed'),
    line: int().optional().describe('The number of a line that the commit changed'),
    line_type: choice('new', 'old')
      .default('new')
      .describe('Whether the line was added (`new`) or removed (`old`)'),
  },
  fails: { 400: 'The text is empty or too long' },
  returns: created(CommitComment),
  run: async ({ project: owner, params, ...ctx }) => {
    if (params.path && params.line === undefined) throw fail('parameter', 'line is missing')
    const target = noteTarget(ctx, owner, await commitNoteable(ctx, owner, params.sha))
    return comment(ctx, owner, target, params)
  },
})

export const commitDiscussions = discussionEndpoints(commitKind)
