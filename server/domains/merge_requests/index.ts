import { domain } from '../../domain.ts'
import { openToCollaborators } from './merging/collaboration.ts'
import { recoverMerges } from './merging/recover.ts'
import * as approvalsRoutes from './approvals/routes.ts'
import * as projectApprovalRuleRoutes from './approvals/rules/project-routes.ts'
import * as requestApprovalRuleRoutes from './approvals/rules/request-routes.ts'
import * as approvalSettingsRoutes from './approvals/settings/routes.ts'
import * as mergeRequestContextRoutes from './context/routes.ts'
import * as mergeRequestDeploymentRoutes from './deployments/routes.ts'
import { jobs as mergeRequestDiffJobs } from './diffs/jobs.ts'
import * as mergeRequestDiffRoutes from './diffs/routes.ts'
import * as mergeRequestListRoutes from './lists/routes.ts'
import { jobs as mergingJobs, crons as mergingCrons } from './merging/jobs.ts'
import * as mergingRoutes from './merging/routes.ts'
import * as mergeRequestPipelineRoutes from './pipelines/routes.ts'
import * as mergeRequestRelatedRoutes from './related/routes.ts'
import * as draftNoteRoutes from './review/drafts/routes.ts'
import * as mergeRequestReviewRoutes from './review/routes.ts'
import * as suggestionRoutes from './review/suggestions/routes.ts'
import * as mergeRequestsRoutes from './routes.ts'
import * as mergeRequestSharedRoutes from './shared-routes.ts'
import { subscribers } from './subscribers.ts'

export type { MergeRequestRow } from './merge-request.ts'
export { abilities as mergeRequestAbilities, canUpdate as canUpdateMergeRequest } from './policy.ts'
export { findMergeRequest, iidParam } from './find.ts'
export { byId as mergeRequestById, byIid as mergeRequestByIid } from './store.ts'
export { mergeRequestNoteable } from './noteable.ts'
export { showMergeRequest, showMergeRequests, type ShowOptions } from './view.ts'
export type { MergeRequestSingleView, MergeRequestView } from './view-row.ts'
export { mayMergeInto } from './rights.ts'
export { requestsOfPipeline } from './pipelines/head.ts'
export { patchId } from './diffs/patch-id.ts'
export { keepVersion } from './diffs/refs.ts'
export { refreshClosingIssues } from './closing.ts'
export { suggestionsIn } from './review/suggestions/offer.ts'

export const mergeRequestsDomain = domain({
  name: 'merge_requests',
  subjects: { merge_request_id: 'merge_requests' },
  routes: [
    mergeRequestsRoutes,
    mergeRequestSharedRoutes,
    mergeRequestListRoutes,
    mergeRequestRelatedRoutes,
    mergeRequestContextRoutes,
    mergeRequestPipelineRoutes,
    mergeRequestDeploymentRoutes,
    mergeRequestDiffRoutes,
    mergingRoutes,
    mergeRequestReviewRoutes,
    draftNoteRoutes,
    suggestionRoutes,
    approvalsRoutes,
    projectApprovalRuleRoutes,
    requestApprovalRuleRoutes,
    approvalSettingsRoutes,
  ],
  subscribers,
  jobs: [...mergeRequestDiffJobs, ...mergingJobs],
  crons: mergingCrons,
  gitTargets: [openToCollaborators],
  recover: { refs: recoverMerges },
})
