import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { bool, text } from '../../../http/params.ts'
import { created, ok, page } from '../../../http/returns.ts'
import { inRepository, project, type Project } from '../../projects/index.ts'
import { ensureVersion } from '../diffs/branches.ts'
import { MergeRequest } from '../entity.ts'
import { iidParam } from '../params.ts'
import { abilities, checkMayReadCode } from '../policy.ts'
import { showMergeRequest } from '../service-view.ts'
import { findMergeRequest } from '../service.ts'
import type { MergeRequestRow } from '../types.ts'
import { inspectMerge } from './check.ts'
import { mergeRefOf } from './merge-ref.ts'
import { startRebase } from './rebase.ts'
import { acceptMerge, cancelAutoMerge } from './service.ts'

/** The answer to canceling an automatic merge (spec core 5.2). */
const CancelledAutoMerge = entity('CancelledAutoMerge', { status: z.literal('success') }, () => ({
  status: 'success' as const,
}))

/** The answer to starting a rebase (spec core 5.2). */
const RebaseProgress = entity(
  'RebaseProgress',
  { rebase_in_progress: z.boolean() },
  (row: { rebase_in_progress: boolean }) => ({ rebase_in_progress: row.rebase_in_progress }),
)

/** The commit that merging would create (spec core 5.2). */
const MergeRef = entity('MergeRef', { commit_id: z.string() }, (row: { commit_id: string }) => row)

/** A file with merge conflicts. An addition to the contract. */
const ConflictingFile = entity('ConflictingFile', { path: z.string() }, (row: { path: string }) => row)

/** The maximum length of a commit message, characters. */
const MAX_MESSAGE = 1_048_576

export const mergeOne = endpoint('PUT /projects/:id/merge_requests/:merge_request_iid/merge', {
  summary: 'Merge a merge request',
  scope: project,
  can: abilities.accept_merge_request,
  maxBody: 4 * MAX_MESSAGE,
  params: {
    ...iidParam,
    merge_commit_message: text({ max: MAX_MESSAGE }).optional().describe('Custom merge commit message'),
    squash_commit_message: text({ max: MAX_MESSAGE }).optional().describe('Custom squash commit message'),
    squash: bool().optional().describe('Squash all commits into one'),
    should_remove_source_branch: bool().optional().describe('Remove the source branch after the merge'),
    merge_when_pipeline_succeeds: bool().optional().describe('Merge when the pipeline of the head succeeds'),
    auto_merge: bool()
      .optional()
      .describe('Merge when the pipeline of the head succeeds, or at once without a pipeline'),
    sha: text({ max: 64 })
      .optional()
      .describe('The expected SHA of the head of the source branch. The merge fails for any other'),
  },
  fails: {
    401: 'The caller may not merge into the target branch',
    405: 'The merge request is not open, is a draft, or does not meet a requirement of the project',
    409: 'SHA does not match HEAD of source branch',
    422: 'Branch cannot be merged',
  },
  returns: ok(MergeRequest),
  run: async ({ project: owner, params, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    return showMergeRequest(ctx, owner, await acceptMerge(ctx, owner, request, params))
  },
})

export const cancelMerge = endpoint(
  'POST /projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds',
  {
    summary: 'Cancel merge when pipeline succeeds',
    scope: project,
    can: abilities.accept_merge_request,
    params: iidParam,
    fails: {
      401: 'The caller is not the author and may not merge',
      405: 'The merge request is merged or closed',
      406: "Can't cancel the automatic merge",
    },
    returns: created(CancelledAutoMerge),
    run: ({ project: owner, params, ...ctx }) => {
      cancelAutoMerge(ctx, owner, findMergeRequest(ctx, owner, params.merge_request_iid))
      return {}
    },
  },
)

export const rebaseOne = endpoint('PUT /projects/:id/merge_requests/:merge_request_iid/rebase', {
  summary: 'Rebase a merge request',
  scope: project,
  can: abilities.accept_merge_request,
  params: {
    ...iidParam,
    skip_ci: bool().default(false).describe('Skip the branch pipeline of the rebased commits'),
  },
  fails: { 409: 'The merge request is not open, or a rebase is running' },
  returns: { ...ok(RebaseProgress), status: 202 },
  run: async ({ project: owner, params, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    return startRebase(ctx, owner, request, params)
  },
})

export const showMergeRef = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/merge_ref', {
  summary: 'Get the merge commit of the merge ref',
  scope: project,
  can: abilities.read_merge_request,
  params: iidParam,
  fails: { 400: 'Merge request is not mergeable' },
  returns: ok(MergeRef),
  run: async ({ project: owner, params, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    return { commit_id: await mergeRefOf(ctx, owner, request) }
  },
})

export const listConflicts = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/conflicts', {
  summary: 'List the files with merge conflicts (an addition to the contract)',
  scope: project,
  can: abilities.read_merge_request,
  params: iidParam,
  returns: page(ConflictingFile),
  run: async ({ project: owner, params, paging, ...ctx }) => {
    const request = findMergeRequest(ctx, owner, params.merge_request_iid)
    const paths = await conflictsOf(ctx, owner, request)
    const rows = paths.slice(paging.offset, paging.offset + paging.limit).map((path) => ({ path }))
    return { rows, total: paths.length }
  },
})

/** Returns the paths with merge conflicts. Empty for a merge request that is not open. */
function conflictsOf(ctx: Ctx, project: Project, before: MergeRequestRow): Promise<readonly string[]> {
  checkMayReadCode(ctx, project)
  return inRepository(ctx, project, async () => {
    if (before.state !== 'opened') return []
    const { conflicts } = await inspectMerge(ctx, project, await ensureVersion(ctx, project, before))
    return conflicts
  })
}
