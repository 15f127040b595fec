import { endpoint } from '../../../http/endpoint.ts'
import { ok, page } from '../../../http/returns.ts'
import { showPipeline } from '../../ci/index.ts'
import { Pipeline, PipelineBasic } from '../../ci/pipelines/entity.ts'
import { project } from '../../projects/index.ts'
import { iidParam } from '../params.ts'
import { abilities } from '../policy.ts'
import { findMergeRequest } from '../service.ts'
import { findPipelines, startPipeline } from './service.ts'

export const listOfRequest = endpoint('GET /projects/:id/merge_requests/:merge_request_iid/pipelines', {
  summary: 'List merge request pipelines',
  scope: project,
  can: abilities.read_merge_request,
  params: iidParam,
  returns: page(PipelineBasic),
  run: ({ project: owner, params, paging, ...ctx }) =>
    findPipelines(ctx, owner, findMergeRequest(ctx, owner, params.merge_request_iid), paging),
})

export const postForRequest = endpoint('POST /projects/:id/merge_requests/:merge_request_iid/pipelines', {
  summary: 'Create a merge request pipeline',
  scope: project,
  can: abilities.change_merge_request,
  params: iidParam,
  fails: {
    400: 'The CI configuration is missing or invalid, has no jobs for the merge request, or the caller may not run pipelines',
    405: 'The merge request is not open, or has no commits',
  },
  returns: ok(Pipeline),
  run: async ({ project: target, params, ...ctx }) => {
    const request = findMergeRequest(ctx, target, params.merge_request_iid)
    const { owner, row } = await startPipeline(ctx, target, request)
    return showPipeline(ctx, owner, row)
  },
})
