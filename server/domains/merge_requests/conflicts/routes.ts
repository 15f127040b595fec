import { endpoint } from '../../../http/endpoint.ts'
import { choice, hash, list, text } from '../../../http/params.ts'
import { created, ok } from '../../../http/returns.ts'
import { project } from '../../projects/index.ts'
import { iidParam } from '../params.ts'
import { abilities } from '../policy.ts'
import { findMergeRequest } from '../service.ts'
import { conflictsOf, conflictText, resolveConflicts, type Conflicts, type ConflictText } from './service.ts'
import { z } from 'zod'
import { entity } from '../../../http/entity.ts'

/** The conflicts of a merge request, for the window. */
const MergeConflicts = entity(
  'MergeConflicts',
  {
    source_branch: z.string(),
    target_branch: z.string(),
    source_sha: z.string(),
    target_sha: z.string(),
    commit_message: z.string(),
    problem: z.string().nullable(),
    files: z.array(z.strictObject({ path: z.string(), problem: z.string().nullable() })),
  },
  ({ request, source_sha, target_sha, commit_message, problem, files }: Conflicts) => ({
    source_branch: request.source_branch,
    target_branch: request.target_branch,
    source_sha,
    target_sha,
    commit_message,
    problem,
    files: files.map((file) => ({ path: file.path, problem: file.problem })),
  }),
)

/** A file with conflicts: sections that merge cleanly as text, and conflicting sections in all three versions. */
const MergeConflictFile = entity(
  'MergeConflictFile',
  {
    path: z.string(),
    source_sha: z.string(),
    target_sha: z.string(),
    sections: z.array(
      z.union([
        z.strictObject({ conflict: z.literal(false), text: z.string() }),
        z.strictObject({
          conflict: z.literal(true),
          id: z.string(),
          ours: z.string(),
          base: z.string(),
          theirs: z.string(),
        }),
      ]),
    ),
  },
  (row: ConflictText) => ({
    path: row.path,
    source_sha: row.source_sha,
    target_sha: row.target_sha,
    sections: row.sections.map((section) => ({ ...section })),
  }),
)

/** The commit that resolves the conflicts. */
const ResolvedConflicts = entity(
  'ResolvedConflicts',
  { commit_id: z.string() },
  (row: { commit_id: string }) => row,
)

const MAX_BODY = 64 * 1024 * 1024
const MAX_TEXT = 1024 * 1024

const fileResolution = hash({
  path: text({ max: 4096, notEmpty: true }).describe('The path of the file'),
  content: text({ max: MAX_TEXT }).optional().describe('The whole content of the resolved file'),
  sections: list(
    hash({
      id: text({ max: 20, notEmpty: true }).describe('The ID of the conflict'),
      use: choice('ours', 'theirs', 'both').describe(
        'The lines of the source branch, of the target branch, or both in this order',
      ),
    }),
    { max: 10_000 },
  )
    .optional()
    .describe('A choice for each conflict, instead of the content'),
})

export const showConflicts = endpoint('GET /-/projects/:id/merge_requests/:merge_request_iid/conflicts', {
  summary: 'Get the conflicts between the branches of a merge request',
  scope: project,
  can: abilities.read_merge_request,
  params: iidParam,
  fails: { 409: 'The merge request is not open, lacks a branch, or has no conflicts' },
  returns: ok(MergeConflicts),
  run: ({ project: owner, params, ...ctx }) =>
    conflictsOf(ctx, owner, findMergeRequest(ctx, owner, params.merge_request_iid)),
})

export const showConflictFile = endpoint(
  'GET /-/projects/:id/merge_requests/:merge_request_iid/conflicts/file',
  {
    summary: 'Get the conflicts of one file of a merge request',
    scope: project,
    can: abilities.read_merge_request,
    params: { ...iidParam, path: text({ max: 4096, notEmpty: true }).describe('The path of the file') },
    fails: {
      409: 'The merge request is not open, lacks a branch, or has no conflicts',
      422: 'The file can only be resolved in a clone',
    },
    returns: ok(MergeConflictFile),
    run: ({ project: owner, params, ...ctx }) =>
      conflictText(ctx, owner, findMergeRequest(ctx, owner, params.merge_request_iid), params.path),
  },
)

export const postResolution = endpoint(
  'POST /-/projects/:id/merge_requests/:merge_request_iid/conflicts/resolve',
  {
    summary: 'Resolve the conflicts of a merge request with a commit on its source branch',
    scope: project,
    can: abilities.accept_merge_request,
    maxBody: MAX_BODY,
    params: {
      ...iidParam,
      source_sha: text({ max: 64, notEmpty: true }).describe('The expected head of the source branch'),
      target_sha: text({ max: 64, notEmpty: true }).describe('The expected head of the target branch'),
      commit_message: text({ max: MAX_TEXT, notEmpty: true }).describe('The message of the commit'),
      files: list(fileResolution, { max: 1000 }).describe('The resolution of each file with conflicts'),
    },
    fails: {
      400: 'A file or a conflict is not resolved, or a resolution is invalid',
      409: 'A branch has moved, or there are no conflicts',
      422: 'A file can only be resolved in a clone',
    },
    returns: created(ResolvedConflicts),
    run: ({ project: owner, params, ...ctx }) =>
      resolveConflicts(ctx, owner, findMergeRequest(ctx, owner, params.merge_request_iid), params),
  },
)
