import { domain } from '../../domain.ts'
import { cron } from '../../jobs/job.ts'
import { jobs as mergeRequestDiffJobs } from './diffs/jobs.ts'
import { openToCollaborators } from './merging/collaboration.ts'
import { autoMergeJob } from './merging/auto-merge.ts'
import { checkMergeability } from './merging/check.ts'
import { recoverMerges } from './merging/complete.ts'
import { rebaseJob } from './merging/rebase.ts'
import { removeBranchJob } from './merging/source-branch.ts'
import { subscribers } from './subscribers.ts'

export type { MergeRequestRow, MergeRequestSingleView, MergeRequestView } from './types.ts'
export {
  abilities as mergeRequestAbilities,
  canUpdate as canUpdateMergeRequest,
  mayMergeInto,
} from './policy.ts'
export { iidParam } from './params.ts'
export { findMergeRequest } from './service.ts'
export { byId as mergeRequestById, byIid as mergeRequestByIid } from './store.ts'
export { mergeRequestNoteable } from './service-notes.ts'
export { showMergeRequest, showMergeRequests, type ShowOptions } from './service-view.ts'
export { requestsOfPipeline } from './pipelines/service.ts'
export { patchId, storeVersion } from './diffs/version.ts'
export { refreshClosingIssues } from './service-closing.ts'
export * as importedRequests from './store-imported.ts'
export type { VersionRefs } from './store-imported.ts'
export { suggestionsIn } from './review/suggestions/offer.ts'
export { setSource } from './store-imported.ts'

export const mergeRequestsDomain = domain({
  name: 'merge_requests',
  subjects: { merge_request_id: 'merge_requests' },
  endpoints: () =>
    Promise.all([
      import('./routes.ts'),
      import('./lists/routes.ts'),
      import('./related/routes.ts'),
      import('./pipelines/routes.ts'),
      import('./diffs/routes.ts'),
      import('./merging/routes.ts'),
      import('./conflicts/routes.ts'),
      import('./review/suggestions/routes.ts'),
      import('./review/drafts/routes.ts'),
      import('./approvals/routes.ts'),
      import('./approvals/rules/project-routes.ts'),
      import('./approvals/rules/request-routes.ts'),
    ]),
  subscribers,
  jobs: [...mergeRequestDiffJobs, checkMergeability, autoMergeJob, rebaseJob, removeBranchJob],
  crons: [cron('merge_requests.recover_merges', '*/2 * * * *', (ctx) => recoverMerges(ctx))],
  gitTargets: [openToCollaborators],
  recover: { refs: recoverMerges },
  reloads: {
    merge_request: [
      'owner',
      'merge_requests',
      'issues',
      '+/groups/:id/merge_requests',
      '+/groups/:id/issues',
      'todos',
      'user_counts',
    ],
  },
})
