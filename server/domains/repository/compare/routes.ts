import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { bool, int, list, text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { abilities, project } from '../../projects/index.ts'
import { Commit, Diff, commitFields, commitView, diffFields, diffView } from '../commits/entity.ts'
import { compare, fileDiff, findMergeBase, type CompareRow } from './service.ts'
import { entity } from '../../../http/entity.ts'
import { refUrl } from '../refs/entity.ts'

/** A comparison (spec core 4.1). */
const Compare = entity(
  'Compare',
  {
    commit: z.object(commitFields).nullable(),
    commits: z.array(z.object(commitFields)),
    diffs: z.array(z.object(diffFields)),
    compare_timeout: z.boolean(),
    compare_same_ref: z.boolean(),
    web_url: z.string(),
  },
  (row: CompareRow, at) => ({
    commit: row.commit && commitView({ commit: row.commit, path: row.path }, at),
    commits: row.commits.map((commit) => commitView({ commit, path: row.path }, at)),
    diffs: row.diffs.map((file) => diffView(file, row.unidiff)),
    compare_timeout: row.overflow,
    compare_same_ref: row.same,
    web_url: `${at.url}/${row.path}/-/compare/${refUrl(row.from)}...${refUrl(row.to)}`,
  }),
)

export const compareRevisions = endpoint('GET /projects/:id/repository/compare', {
  summary: 'Compare two revisions',
  scope: project,
  can: abilities.read_code,
  params: {
    from: text({ max: 1100, notEmpty: true }).describe('Branch, tag or commit id to compare with'),
    to: text({ max: 1100, notEmpty: true }).describe('Branch, tag or commit id to compare'),
    from_project_id: int({ min: 1 })
      .optional()
      .describe('The project to compare from, in the same fork network'),
    straight: bool()
      .default(false)
      .describe('Compare `to` with `from` itself instead of their common ancestor'),
    unidiff: bool().default(false).describe('Include the file headers of each diff'),
  },
  fails: { 400: 'The other project is not in the same fork network' },
  returns: ok(Compare),
  run: ({ project: owner, params, http, ...ctx }) => compare(ctx, owner, params, http.signal),
})

export const showMergeBase = endpoint('GET /projects/:id/repository/merge_base', {
  summary: 'Get the common ancestor of revisions',
  scope: project,
  can: abilities.read_code,
  params: {
    refs: list(text({ max: 1100 }), { max: 20 }).describe('Two or more branches, tags or commit ids'),
  },
  fails: { 400: 'There are fewer than two refs, or a ref does not exist' },
  returns: ok(Commit),
  run: ({ project: owner, params, ...ctx }) => findMergeBase(ctx, owner, params.refs),
})

export const showFileDiff = endpoint('GET /-/projects/:id/repository/file_diff', {
  summary: 'Get the diff of one file between two revisions, with higher limits',
  scope: project,
  can: abilities.read_code,
  params: {
    from: text({ max: 1100, notEmpty: true })
      .optional()
      .describe('Branch, tag or commit id to compare with (default: an empty tree)'),
    to: text({ max: 1100, notEmpty: true }).describe('Branch, tag or commit id to compare'),
    path: text({ max: 4096, notEmpty: true }).describe(
      'The path of the file in `to`, or in `from` if it was deleted',
    ),
    old_path: text({ max: 4096, notEmpty: true }).optional().describe('The path of the file in `from`'),
    from_project_id: int({ min: 1 })
      .optional()
      .describe('The project to compare from, in the same fork network'),
    straight: bool()
      .default(true)
      .describe('Compare `to` with `from` itself instead of their common ancestor'),
  },
  fails: { 400: 'The other project is not in the same fork network' },
  returns: ok(Diff),
  run: async ({ project: owner, params, http, ...ctx }) => ({
    file: await fileDiff(ctx, owner, params, http.signal),
    unidiff: false,
  }),
})
