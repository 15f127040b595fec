import { domain } from '../../domain.ts'
import { cron } from '../../jobs/job.ts'
import * as approvalsRoutes from './approvals/routes.ts'
import * as projectApprovalRuleRoutes from './approvals/rules/project-routes.ts'
import * as requestApprovalRuleRoutes from './approvals/rules/request-routes.ts'
import * as conflictRoutes from './conflicts/routes.ts'
import { jobs as mergeRequestDiffJobs } from './diffs/jobs.ts'
import * as mergeRequestDiffRoutes from './diffs/routes.ts'
import * as mergeRequestListRoutes from './lists/routes.ts'
import { openToCollaborators } from './merging/collaboration.ts'
import { autoMergeJob } from './merging/auto-merge.ts'
import { checkMergeability } from './merging/check.ts'
import { recoverMerges } from './merging/complete.ts'
import { rebaseJob } from './merging/rebase.ts'
import * as mergingRoutes from './merging/routes.ts'
import { removeBranchJob } from './merging/source-branch.ts'
import * as mergeRequestPipelineRoutes from './pipelines/routes.ts'
import * as mergeRequestRelatedRoutes from './related/routes.ts'
import * as draftNoteRoutes from './review/drafts/routes.ts'
import * as suggestionRoutes from './review/suggestions/routes.ts'
import * as mergeRequestRoutes from './routes.ts'
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
  routes: [
    mergeRequestRoutes,
    mergeRequestListRoutes,
    mergeRequestRelatedRoutes,
    mergeRequestPipelineRoutes,
    mergeRequestDiffRoutes,
    mergingRoutes,
    conflictRoutes,
    suggestionRoutes,
    draftNoteRoutes,
    approvalsRoutes,
    projectApprovalRuleRoutes,
    requestApprovalRuleRoutes,
  ],
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
