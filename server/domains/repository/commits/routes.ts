import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, text, timestamp } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { Commit, CommitDetail, CommitRef, CommitSequence, Diff } from './entity.ts'
import { findCommits, getCommit, getCommitDiff, getCommitRefs, getSequence } from './service.ts'

const sha = text({ max: 1100 }).describe('Id of the commit, or the name of a branch or tag')

export const listCommits = endpoint('GET /projects/:id/repository/commits', {
  summary: 'List commits',
  scope: project,
  can: abilities.read_code,
  params: {
    ref_name: text({ max: 2200 })
      .optional()
      .describe('A branch, tag, commit id or range `a..b` (default: the default branch)'),
    since: timestamp().optional().describe('Only commits at or after this time'),
    until: timestamp().optional().describe('Only commits at or before this time'),
    path: text({ max: 4096 }).optional().describe('Only commits that change this file or folder'),
    author: text({ max: 255 }).optional().describe('Part of the name or email address of the author'),
    all: bool().optional().describe('List the commits of all branches and tags'),
    with_stats: bool().optional().describe('Include the number of lines added and removed'),
    first_parent: bool().optional().describe('Follow only the first parent of merge commits'),
    order: choice('default', 'topo').optional().describe('`topo`: no commit before all of its children'),
    trailers: bool().optional().describe('Ignored; trailers are always included'),
  },
  fails: { 400: 'The path is invalid' },
  returns: page(Commit),
  run: async ({ project: owner, params, paging, ...ctx }) => ({
    rows: await findCommits(ctx, owner, params, paging),
  }),
})

export const showCommit = endpoint('GET /projects/:id/repository/commits/:sha', {
  summary: 'Get a commit',
  scope: project,
  can: abilities.read_code,
  params: {
    sha,
    stats: bool().default(true).describe('Include the number of lines added and removed'),
  },
  returns: ok(CommitDetail),
  run: ({ project: owner, params, ...ctx }) => getCommit(ctx, owner, params.sha, params.stats),
})

export const listCommitDiff = endpoint('GET /projects/:id/repository/commits/:sha/diff', {
  summary: 'List the diffs of a commit',
  scope: project,
  can: abilities.read_code,
  params: {
    sha,
    unidiff: bool().default(false).describe('Include the file headers of each diff'),
  },
  returns: page(Diff),
  run: ({ project: owner, params, paging, ...ctx }) => getCommitDiff(ctx, owner, params, paging),
})

export const listCommitRefs = endpoint('GET /projects/:id/repository/commits/:sha/refs', {
  summary: 'List the branches and tags that contain a commit',
  scope: project,
  can: abilities.read_code,
  params: { sha, type: choice('all', 'branch', 'tag').default('all').describe('The type of refs') },
  returns: page(CommitRef),
  run: async ({ project: owner, params, paging, ...ctx }) => {
    const refs = await getCommitRefs(ctx, owner, params.sha, params.type)
    return { rows: refs.slice(paging.offset, paging.offset + paging.limit), total: refs.length }
  },
})

export const showSequence = endpoint('GET /projects/:id/repository/commits/:sha/sequence', {
  summary: 'Count the commits up to a commit',
  scope: project,
  can: abilities.read_code,
  params: {
    sha,
    first_parent: bool().default(false).describe('Follow only the first parent of merge commits'),
  },
  returns: ok(CommitSequence),
  run: ({ project: owner, params, ...ctx }) =>
    getSequence(ctx, owner, { name: params.sha, first_parent: params.first_parent }),
})
