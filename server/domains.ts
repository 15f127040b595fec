import { isEndpoint, type Endpoint } from './http/endpoint.ts'
import { isWebRoute, type WebRoute } from './http/web-route.ts'
import type { Subscription } from './events/facts.ts'
import type { CronLine, Job } from './jobs/job.ts'
import { jobs as accountDeletionJobs } from './domains/accounts/deletion/jobs.ts'
import * as accountDeletionRoutes from './domains/accounts/deletion/routes.ts'
import * as accountEmailsRoutes from './domains/accounts/emails/routes.ts'
import * as accountInsightsRoutes from './domains/accounts/insights/routes.ts'
import * as ownAccountRoutes from './domains/accounts/own/routes.ts'
import * as accountsRoutes from './domains/accounts/routes.ts'
import { subscribers as accountMailSubscribers } from './domains/accounts/mails/subscribers.ts'
import { crons as accountStateCrons } from './domains/accounts/states/jobs.ts'
import * as accountStateRoutes from './domains/accounts/states/routes.ts'
import * as authImpersonationRoutes from './domains/auth/impersonation-routes.ts'
import * as authRecoveryRoutes from './domains/auth/recovery-routes.ts'
import * as authSessionRoutes from './domains/auth/session-routes.ts'
import * as authTokenRoutes from './domains/auth/token-routes.ts'
import * as authJobs from './domains/auth/jobs.ts'
import { subscribers as authSubscribers } from './domains/auth/subscribers.ts'
import { crons as artifactCrons } from './domains/ci/artifacts/crons.ts'
import { jobs as artifactJobs } from './domains/ci/artifacts/jobs.ts'
import * as artifactRoutes from './domains/ci/artifacts/routes.ts'
import * as artifactRunnerRoutes from './domains/ci/artifacts/runner/routes.ts'
import { subscribers as artifactSubscribers } from './domains/ci/artifacts/subscribers.ts'
import * as artifactWebRoutes from './domains/ci/artifacts/web/routes.ts'
import * as artifactWindowRoutes from './domains/ci/artifacts/window/routes.ts'
import { crons as environmentCrons } from './domains/ci/environments/crons.ts'
import * as deploymentRoutes from './domains/ci/environments/deployments/routes.ts'
import { jobs as environmentJobs } from './domains/ci/environments/jobs.ts'
import * as environmentRoutes from './domains/ci/environments/routes.ts'
import * as environmentWindowRoutes from './domains/ci/environments/window/routes.ts'
import { subscribers as environmentSubscribers } from './domains/ci/environments/subscribers.ts'
import * as resourceGroupRoutes from './domains/ci/resource_groups/routes.ts'
import { crons as scheduleCrons, jobs as scheduleJobs } from './domains/ci/schedules/jobs.ts'
import * as scheduleRoutes from './domains/ci/schedules/routes.ts'
import * as scheduleVariableRoutes from './domains/ci/schedules/variables/routes.ts'
import * as triggerRoutes from './domains/ci/triggers/routes.ts'
import * as ciLintRoutes from './domains/ci/lint/routes.ts'
import { jobs as pipelineCreationJobs } from './domains/ci/pipelines/creation/jobs.ts'
import * as pipelineCreationRoutes from './domains/ci/pipelines/creation/routes.ts'
import { subscribers as pipelineCreationSubscribers } from './domains/ci/pipelines/creation/subscribers.ts'
import { subscribers as pipelineSubscribers } from './domains/ci/pipelines/subscribers.ts'
import * as pipelineGraphRoutes from './domains/ci/graph/routes.ts'
import * as pipelineRoutes from './domains/ci/pipelines/routes.ts'
import * as jobRoutes from './domains/ci/jobs/routes.ts'
import * as ciOverviewRoutes from './domains/ci/overview/routes.ts'
import { crons as processingCrons } from './domains/ci/processing/crons.ts'
import { jobs as processingJobs } from './domains/ci/processing/jobs.ts'
import { subscribers as processingSubscribers } from './domains/ci/processing/subscribers.ts'
import * as builtInRunnerRoutes from './domains/ci/built_in_runner/routes.ts'
import * as runnerProtocolRoutes from './domains/ci/runner_protocol/routes.ts'
import * as runnerPlaceRoutes from './domains/ci/runners/place-routes.ts'
import * as runnerRegistrationRoutes from './domains/ci/runners/registration-routes.ts'
import * as runnerRoutes from './domains/ci/runners/routes.ts'
import { crons as reportCrons } from './domains/ci/reports/crons.ts'
import { jobs as reportJobs } from './domains/ci/reports/jobs.ts'
import * as reportRoutes from './domains/ci/reports/routes.ts'
import { crons as secureFileCrons } from './domains/ci/secure_files/crons.ts'
import { jobs as secureFileJobs } from './domains/ci/secure_files/jobs.ts'
import * as secureFileRoutes from './domains/ci/secure_files/routes.ts'
import { subscribers as secureFileSubscribers } from './domains/ci/secure_files/subscribers.ts'
import { crons as traceCrons } from './domains/ci/traces/crons.ts'
import { subscribers as traceSubscribers } from './domains/ci/traces/subscribers.ts'
import * as variableRoutes from './domains/ci/variables/routes.ts'
import * as appearanceRoutes from './domains/appearance/routes.ts'
import { crons as backupCrons, jobs as backupJobs } from './domains/backups/jobs.ts'
import * as backupLocalRoutes from './domains/backups/local/web-routes.ts'
import * as backupRoutes from './domains/backups/routes.ts'
import * as boardsRoutes from './domains/planning/boards/routes.ts'
import * as broadcastRoutes from './domains/settings/broadcast_messages/routes.ts'
import * as featureFlagClientRoutes from './domains/feature_flags/clients/routes.ts'
import * as featureFlagEvaluationRoutes from './domains/feature_flags/evaluation/routes.ts'
import * as featureFlagRoutes from './domains/feature_flags/flags/routes.ts'
import * as featureFlagUserListRoutes from './domains/feature_flags/user_lists/routes.ts'
import { jobs as forksJobs } from './domains/forks/jobs.ts'
import { jobs as folderImportJobs } from './domains/importers/folders/jobs.ts'
import * as folderImportRoutes from './domains/importers/folders/routes.ts'
import * as forksRoutes from './domains/forks/routes.ts'
import { subscribers as forksSubscribers } from './domains/forks/subscribers.ts'
import { jobs as hostAJobs } from './domains/importers/github/jobs.ts'
import * as hostARoutes from './domains/importers/github/routes.ts'
import * as hostAWindowRoutes from './domains/importers/github/window/routes.ts'
import { jobs as hostBJobs } from './domains/importers/bitbucket_server/jobs.ts'
import * as hostBRoutes from './domains/importers/bitbucket_server/routes.ts'
import * as hostBWindowRoutes from './domains/importers/bitbucket_server/window/routes.ts'
import { subscribers as hostImportsSubscribers } from './domains/importers/hosts/subscribers.ts'
import { crons as importCrons } from './domains/import_export/imports/jobs.ts'
import * as importRoutes from './domains/import_export/imports/routes.ts'
import * as importWindowRoutes from './domains/import_export/imports/window/routes.ts'
import { subscribers as importsSubscribers } from './domains/import_export/imports/subscribers.ts'
import { subscribers as issuablesSubscribers } from './domains/planning/issuables/subscribers.ts'
import * as issueLinkRoutes from './domains/planning/issues/links/routes.ts'
import * as issueMilestoneRoutes from './domains/planning/issues/lists/milestone-routes.ts'
import * as issueListRoutes from './domains/planning/issues/lists/routes.ts'
import * as issueMovingRoutes from './domains/planning/issues/moving/routes.ts'
import * as issuesRoutes from './domains/planning/issues/routes.ts'
import { subscribers as issuesSubscribers } from './domains/planning/issues/subscribers.ts'
import { jobs as integrationJobs } from './domains/integrations/delivering/jobs.ts'
import { subscribers as integrationSubscribers } from './domains/integrations/delivering/subscribers.ts'
import * as chatNameRoutes from './domains/integrations/chat_names/routes.ts'
import * as integrationCommandRoutes from './domains/integrations/commands/routes.ts'
import * as integrationRoutes from './domains/integrations/routes.ts'
import * as integrationWindowRoutes from './domains/integrations/window/routes.ts'
import * as labelsRoutes from './domains/planning/labels/routes.ts'
import { subscribers as labelsSubscribers } from './domains/planning/labels/subscribers.ts'
import * as languagesRoutes from './domains/repository/languages/routes.ts'
import { subscribers as languagesSubscribers } from './domains/repository/languages/subscribers.ts'
import { crons as maintenanceCrons, jobs as maintenanceJobs } from './domains/admin/maintenance/jobs.ts'
import { crons as lfsCrons } from './domains/storage/lfs/jobs.ts'
import { lfsRoutes } from './domains/repository/index.ts'
import * as maintenanceRoutes from './domains/admin/maintenance/routes.ts'
import * as milestonesRoutes from './domains/planning/milestones/routes.ts'
import { subscribers as milestonesSubscribers } from './domains/planning/milestones/subscribers.ts'
import * as namespacesRoutes from './domains/namespaces/routes.ts'
import * as pushRuleRoutes from './domains/push_rules/routes.ts'
import * as projectTemplateRoutes from './domains/templates/projects/routes.ts'
import { subscribers as projectTemplateSubscribers } from './domains/templates/projects/subscribers.ts'
import * as projectActionRoutes from './domains/projects/action-routes.ts'
import * as projectPeopleRoutes from './domains/projects/people-routes.ts'
import * as projectsRoutes from './domains/projects/routes.ts'
import { crons as projectsCrons, jobs as projectsJobs } from './domains/projects/jobs.ts'
import { subscribers as projectsSubscribers } from './domains/projects/subscribers.ts'
import * as groupsRoutes from './domains/groups/routes.ts'
import * as bulkImportRoutes from './domains/import_export/bulk_imports/routes.ts'
import * as groupExportRoutes from './domains/import_export/groups/export/routes.ts'
import * as groupImportRoutes from './domains/import_export/groups/import/routes.ts'
import {
  crons as groupTransferCrons,
  jobs as groupTransferJobs,
} from './domains/import_export/groups/jobs.ts'
import * as relationExportRoutes from './domains/import_export/relation_exports/routes.ts'
import { crons as groupsCrons } from './domains/groups/jobs.ts'
import { subscribers as groupsSubscribers } from './domains/groups/subscribers.ts'
import { crons as membersCrons } from './domains/members/jobs.ts'
import { subscribers as membersSubscribers } from './domains/members/subscribers.ts'
import * as featureRoutes from './domains/admin/features/routes.ts'
import * as licenseRoutes from './domains/admin/license/routes.ts'
import * as metricsRoutes from './domains/admin/metrics/web.ts'
import * as overviewRoutes from './domains/admin/overview/routes.ts'
import * as planLimitRoutes from './domains/settings/plan_limits/routes.ts'
import * as queueRoutes from './domains/admin/queues/routes.ts'
import * as statisticsRoutes from './domains/admin/statistics/routes.ts'
import * as usageRoutes from './domains/admin/usage/routes.ts'
import * as activityRoutes from './domains/activity/routes.ts'
import { subscribers as activitySubscribers } from './domains/activity/subscribers.ts'
import * as attachmentsRoutes from './domains/markdown/uploads/routes.ts'
import { jobs as attachmentsJobs } from './domains/markdown/uploads/jobs.ts'
import { subscribers as attachmentsSubscribers } from './domains/markdown/uploads/subscribers.ts'
import * as accessTokensRoutes from './domains/access_tokens/routes.ts'
import { subscribers as accessTokensSubscribers } from './domains/access_tokens/subscribers.ts'
import * as deployRoutes from './domains/deploy_keys/routes.ts'
import { subscribers as deploySubscribers } from './domains/deploy_keys/subscribers.ts'
import * as keysRoutes from './domains/users/keys/routes.ts'
import { crons as mailCrons, jobs as mailJobs } from './domains/mail/jobs.ts'
import * as mailRoutes from './domains/mail/routes.ts'
import * as markdownRoutes from './domains/markdown/routes.ts'
import * as approvalsRoutes from './domains/merge_requests/approvals/routes.ts'
import * as projectApprovalRuleRoutes from './domains/merge_requests/approvals/rules/project-routes.ts'
import * as requestApprovalRuleRoutes from './domains/merge_requests/approvals/rules/request-routes.ts'
import * as approvalSettingsRoutes from './domains/merge_requests/approvals/settings/routes.ts'
import { subscribers as approvalsSubscribers } from './domains/merge_requests/approvals/subscribers.ts'
import { jobs as mergeRequestDiffJobs } from './domains/merge_requests/diffs/jobs.ts'
import { subscribers as mergeRequestDiffSubscribers } from './domains/merge_requests/diffs/subscribers.ts'
import { subscribers as mergeRequestSubscribers } from './domains/merge_requests/subscribers.ts'
import * as mergeRequestDiffRoutes from './domains/merge_requests/diffs/routes.ts'
import { openToCollaborators } from './domains/merge_requests/merging/collaboration.ts'
import { crons as mergingCrons, jobs as mergingJobs } from './domains/merge_requests/merging/jobs.ts'
import * as mergingRoutes from './domains/merge_requests/merging/routes.ts'
import { subscribers as mergingSubscribers } from './domains/merge_requests/merging/subscribers.ts'
import * as mergeRequestListRoutes from './domains/merge_requests/lists/routes.ts'
import * as draftNoteRoutes from './domains/merge_requests/review/drafts/routes.ts'
import * as mergeRequestReviewRoutes from './domains/merge_requests/review/routes.ts'
import * as suggestionRoutes from './domains/merge_requests/review/suggestions/routes.ts'
import { subscribers as mergeRequestReviewSubscribers } from './domains/merge_requests/review/subscribers.ts'
import * as mergeRequestDeploymentRoutes from './domains/merge_requests/deployments/routes.ts'
import { subscribers as mergeRequestDeploymentSubscribers } from './domains/merge_requests/deployments/subscribers.ts'
import * as mergeRequestPipelineRoutes from './domains/merge_requests/pipelines/routes.ts'
import { subscribers as mergeRequestPipelineSubscribers } from './domains/merge_requests/pipelines/subscribers.ts'
import * as mergeRequestContextRoutes from './domains/merge_requests/context/routes.ts'
import { subscribers as mergeRequestRelatedSubscribers } from './domains/merge_requests/related/subscribers.ts'
import * as mergeRequestRelatedRoutes from './domains/merge_requests/related/routes.ts'
import * as mergeRequestsRoutes from './domains/merge_requests/routes.ts'
import * as mergeRequestSharedRoutes from './domains/merge_requests/shared-routes.ts'
import { crons as pullMirrorCrons, jobs as pullMirrorJobs } from './domains/mirrors/pull/jobs.ts'
import * as pullMirrorRoutes from './domains/mirrors/pull/routes.ts'
import { subscribers as pullMirrorSubscribers } from './domains/mirrors/pull/subscribers.ts'
import { crons as pushMirrorCrons, jobs as pushMirrorJobs } from './domains/mirrors/push/jobs.ts'
import * as pushMirrorRoutes from './domains/mirrors/push/routes.ts'
import { subscribers as pushMirrorSubscribers } from './domains/mirrors/push/subscribers.ts'
import * as mirrorWindowRoutes from './domains/mirrors/window/routes.ts'
import * as notesRoutes from './domains/discussions/notes/routes.ts'
import { crons as oauthCrons } from './domains/auth/oauth/jobs.ts'
import * as oauthApplicationRoutes from './domains/auth/oauth/applications/routes.ts'
import * as oauthApplicationWindowRoutes from './domains/auth/oauth/applications/window-routes.ts'
import * as oauthAuthorizationRoutes from './domains/auth/oauth/authorization/routes.ts'
import * as oauthOpenIdRoutes from './domains/auth/oauth/openid/routes.ts'
import * as oauthTokenRoutes from './domains/auth/oauth/tokens/routes.ts'
import * as oauthTokenWindowRoutes from './domains/auth/oauth/tokens/window-routes.ts'
import { gitRoutes, type OpenPlace } from './domains/repository/index.ts'
import * as repositoryRoutes from './domains/repository/routes.ts'
import * as releaseAddressRoutes from './domains/releases/addresses/routes.ts'
import * as releaseWebRoutes from './domains/releases/addresses/web-routes.ts'
import { jobs as releaseJobs } from './domains/releases/evidence/jobs.ts'
import * as groupReleaseRoutes from './domains/releases/group-routes.ts'
import * as releaseLinkRoutes from './domains/releases/links/routes.ts'
import * as releaseRoutes from './domains/releases/routes.ts'
import { jobs as repositoryJobs } from './domains/repository/jobs.ts'
import { subscribers as repositorySubscribers } from './domains/repository/subscribers.ts'
import * as signaturesRoutes from './domains/repository/signatures/routes.ts'
import * as auditRoutes from './domains/admin/audit/routes.ts'
import { subscribers as auditSubscribers } from './domains/admin/audit/subscribers.ts'
import * as scimIdentityRoutes from './domains/scim/identities/routes.ts'
import * as scimProtocolRoutes from './domains/scim/protocol/routes.ts'
import * as scimWindowRoutes from './domains/scim/window-routes.ts'
import * as settingsRoutes from './domains/settings/routes.ts'
import * as settingsWindowRoutes from './domains/settings/window/routes.ts'
import * as searchRoutes from './domains/search/routes.ts'
import { crons as exportCrons, jobs as exportJobs } from './domains/import_export/projects/export/jobs.ts'
import * as exportRoutes from './domains/import_export/projects/export/routes.ts'
import { subscribers as exportSubscribers } from './domains/import_export/projects/export/subscribers.ts'
import * as exportWebRoutes from './domains/import_export/projects/export/web-routes.ts'
import { jobs as archiveImportJobs } from './domains/import_export/projects/import/jobs.ts'
import * as archiveImportRoutes from './domains/import_export/projects/import/routes.ts'
import { takeRelation } from './domains/import_export/projects/import/single/job.ts'
import * as relationImportRoutes from './domains/import_export/projects/import/single/routes.ts'
import { subscribers as archiveImportSubscribers } from './domains/import_export/projects/import/subscribers.ts'
import { openSnippet } from './domains/snippets/git-place.ts'
import { crons as snippetsCrons, jobs as snippetsJobs } from './domains/snippets/jobs.ts'
import * as snippetNotes from './domains/snippets/note-routes.ts'
import * as personalSnippets from './domains/snippets/personal-routes.ts'
import * as projectSnippets from './domains/snippets/project-routes.ts'
import * as rawSnippets from './domains/snippets/raw-routes.ts'
import { subscribers as snippetsSubscribers } from './domains/snippets/subscribers.ts'
import * as statusesRoutes from './domains/ci/statuses/routes.ts'
import { crons as deliveryCrons, jobs as deliveryJobs } from './domains/webhooks/deliveries/jobs.ts'
import { subscribers as deliverySubscribers } from './domains/webhooks/deliveries/subscribers.ts'
import * as hookRoutes from './domains/webhooks/hooks/routes.ts'
import * as hookTryingRoutes from './domains/webhooks/hooks/trying-routes.ts'
import * as systemRoutes from './domains/admin/system/routes.ts'
import * as userEmailsRoutes from './domains/users/emails/routes.ts'
import * as userFollowsRoutes from './domains/users/follows/routes.ts'
import * as userIdentitiesRoutes from './domains/users/identities/routes.ts'
import { crons as usersCrons } from './domains/users/jobs.ts'
import * as userPreferencesRoutes from './domains/users/preferences/routes.ts'
import { jobs as storageMoveJobs } from './domains/admin/storage_moves/jobs.ts'
import * as storageMoveRoutes from './domains/admin/storage_moves/routes.ts'
import { subscribers as storageMoveSubscribers } from './domains/admin/storage_moves/subscribers.ts'
import * as storageMoveWindowRoutes from './domains/admin/storage_moves/window/routes.ts'
import * as storageRoutes from './domains/storage/storages/routes.ts'
import { crons as todosCrons, jobs as todosJobs } from './domains/todos/jobs.ts'
import * as todosRoutes from './domains/todos/routes.ts'
import { subscribers as todosSubscribers } from './domains/todos/subscribers.ts'
import * as templateRoutes from './domains/templates/files/routes.ts'
import * as topicsRoutes from './domains/projects/topics/routes.ts'
import { jobs as uploadsJobs } from './domains/storage/uploads/jobs.ts'
import * as usersRoutes from './domains/users/routes.ts'
import * as userStatusesRoutes from './domains/users/statuses/routes.ts'
import { subscribers as webhookCiSubscribers } from './domains/webhooks/ci-subscribers.ts'
import { subscribers as webhookCodeSubscribers } from './domains/webhooks/code-subscribers.ts'
import { openWiki } from './domains/wikis/git-place.ts'
import * as wikiMarkupRoutes from './domains/wikis/markup/routes.ts'
import { jobs as wikiJobs } from './domains/wikis/jobs.ts'
import * as wikiRoutes from './domains/wikis/routes.ts'
import * as wikiWebRoutes from './domains/wikis/web-routes.ts'
import * as wikiWindowRoutes from './domains/wikis/window/routes.ts'
import { subscribers as wikiSubscribers } from './domains/wikis/subscribers.ts'
import { crons as webhookTokenCrons } from './domains/webhooks/expiring-tokens.ts'
import { subscribers as webhookPlanningSubscribers } from './domains/webhooks/planning-subscribers.ts'
import { subscribers as webhookSystemSubscribers } from './domains/webhooks/system-subscribers.ts'
import { subscribers as webhookWikiSubscribers } from './domains/webhooks/wiki-subscribers.ts'

/** What a domain brings: its declared endpoints, its reactions to facts, its jobs and recurring work. */
export interface Domain {
  readonly name: string
  readonly endpoints: readonly Endpoint[]
  readonly webRoutes: readonly WebRoute[]
  readonly subscribers: readonly Subscription[]
  readonly jobs: readonly Job[]
  readonly crons: readonly CronLine[]
}

interface Parts {
  /** Namespaces of `routes.ts` modules; every exported endpoint, or list of endpoints, is taken. */
  routes?: readonly Readonly<Record<string, unknown>>[]
  subscribers?: readonly Subscription[]
  jobs?: readonly Job[]
  crons?: readonly CronLine[]
}

function domain(name: string, parts: Parts): Domain {
  const exported = (parts.routes ?? []).flatMap((module) => Object.values(module)).flat()
  return {
    name,
    endpoints: exported.filter(isEndpoint),
    webRoutes: exported.filter(isWebRoute),
    subscribers: parts.subscribers ?? [],
    jobs: parts.jobs ?? [],
    crons: parts.crons ?? [],
  }
}

/** What git is served beside the code of projects, over HTTP and SSH. */
export const gitPlaces: readonly OpenPlace[] = [openSnippet, openWiki, openToCollaborators]

/** The manifest: one line per domain, and nothing else to register. Foundation first, then features. */
export const domains: readonly Domain[] = [
  domain('settings', { routes: [settingsRoutes, settingsWindowRoutes] }),
  domain('custom_attributes', {}),
  domain('uploads', { jobs: uploadsJobs }),
  domain('users', {
    routes: [
      usersRoutes,
      userEmailsRoutes,
      userFollowsRoutes,
      userIdentitiesRoutes,
      userPreferencesRoutes,
      userStatusesRoutes,
    ],
    crons: usersCrons,
  }),
  domain('namespaces', { routes: [namespacesRoutes] }),
  domain('auth', {
    routes: [authSessionRoutes, authRecoveryRoutes, authTokenRoutes, authImpersonationRoutes],
    jobs: authJobs.jobs,
    crons: authJobs.crons,
    subscribers: authSubscribers,
  }),
  domain('storages', { routes: [storageRoutes] }),
  domain('members', { crons: membersCrons, subscribers: membersSubscribers }),
  domain('projects', {
    routes: [projectsRoutes, projectActionRoutes, projectPeopleRoutes],
    jobs: projectsJobs,
    crons: projectsCrons,
    subscribers: projectsSubscribers,
  }),
  domain('groups', { routes: [groupsRoutes], crons: groupsCrons, subscribers: groupsSubscribers }),
  domain('push_rules', { routes: [pushRuleRoutes] }),
  domain('repository', {
    routes: [repositoryRoutes, { git: gitRoutes(gitPlaces) }],
    jobs: repositoryJobs,
    subscribers: repositorySubscribers,
  }),
  domain('lfs', { crons: lfsCrons }),
  domain('lfs_server', { routes: [{ lfs: lfsRoutes(gitPlaces) }] }),
  domain('administration', {
    routes: [
      statisticsRoutes,
      planLimitRoutes,
      featureRoutes,
      licenseRoutes,
      queueRoutes,
      usageRoutes,
      overviewRoutes,
      metricsRoutes,
    ],
  }),
  domain('labels', { routes: [labelsRoutes], subscribers: labelsSubscribers }),
  domain('milestones', { routes: [milestonesRoutes], subscribers: milestonesSubscribers }),
  domain('boards', { routes: [boardsRoutes] }),
  domain('todos', {
    routes: [todosRoutes],
    subscribers: todosSubscribers,
    jobs: todosJobs,
    crons: todosCrons,
  }),
  domain('activity', { routes: [activityRoutes], subscribers: activitySubscribers }),
  domain('attachments', {
    routes: [attachmentsRoutes],
    subscribers: attachmentsSubscribers,
    jobs: attachmentsJobs,
  }),
  domain('access_tokens', { routes: [accessTokensRoutes], subscribers: accessTokensSubscribers }),
  domain('keys', { routes: [keysRoutes] }),
  domain('signatures', { routes: [signaturesRoutes] }),
  domain('deploy', { routes: [deployRoutes], subscribers: deploySubscribers }),
  domain('statuses', { routes: [statusesRoutes] }),
  domain('notes', { routes: [notesRoutes] }),
  domain('awards', {}),
  domain('issuables', { subscribers: issuablesSubscribers }),
  domain('issues', {
    routes: [issuesRoutes, issueListRoutes, issueMilestoneRoutes, issueLinkRoutes, issueMovingRoutes],
    subscribers: issuesSubscribers,
  }),
  domain('merge_requests', {
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
    subscribers: [
      ...mergeRequestSubscribers,
      ...mergeRequestDiffSubscribers,
      ...mergingSubscribers,
      ...mergeRequestPipelineSubscribers,
      ...mergeRequestDeploymentSubscribers,
      ...mergeRequestRelatedSubscribers,
      ...mergeRequestReviewSubscribers,
      ...approvalsSubscribers,
    ],
    jobs: [...mergeRequestDiffJobs, ...mergingJobs],
    crons: mergingCrons,
  }),
  domain('ci', {
    routes: [
      runnerProtocolRoutes,
      builtInRunnerRoutes,
      runnerRoutes,
      runnerPlaceRoutes,
      runnerRegistrationRoutes,
      pipelineRoutes,
      pipelineGraphRoutes,
      jobRoutes,
      pipelineCreationRoutes,
      triggerRoutes,
      ciLintRoutes,
      ciOverviewRoutes,
      environmentRoutes,
      environmentWindowRoutes,
      deploymentRoutes,
      variableRoutes,
      scheduleRoutes,
      scheduleVariableRoutes,
      resourceGroupRoutes,
      secureFileRoutes,
      artifactRoutes,
      reportRoutes,
      artifactRunnerRoutes,
      artifactWindowRoutes,
      artifactWebRoutes,
    ],
    subscribers: [
      ...artifactSubscribers,
      ...traceSubscribers,
      ...processingSubscribers,
      ...environmentSubscribers,
      ...secureFileSubscribers,
      ...pipelineCreationSubscribers,
      ...pipelineSubscribers,
    ],
    jobs: [
      ...artifactJobs,
      ...reportJobs,
      ...processingJobs,
      ...environmentJobs,
      ...scheduleJobs,
      ...secureFileJobs,
      ...pipelineCreationJobs,
    ],
    crons: [
      ...artifactCrons,
      ...reportCrons,
      ...traceCrons,
      ...processingCrons,
      ...environmentCrons,
      ...scheduleCrons,
      ...secureFileCrons,
    ],
  }),
  domain('languages', { routes: [languagesRoutes], subscribers: languagesSubscribers }),
  domain('topics', { routes: [topicsRoutes] }),
  domain('appearance', { routes: [appearanceRoutes] }),
  domain('broadcast_messages', { routes: [broadcastRoutes] }),
  domain('templates', { routes: [templateRoutes] }),
  domain('project_templates', {
    routes: [projectTemplateRoutes],
    subscribers: projectTemplateSubscribers,
  }),
  domain('imports', {
    routes: [importRoutes, importWindowRoutes],
    subscribers: importsSubscribers,
    crons: importCrons,
  }),
  domain('folder_imports', { routes: [folderImportRoutes], jobs: folderImportJobs }),
  domain('host_imports', {
    routes: [hostARoutes, hostAWindowRoutes, hostBRoutes, hostBWindowRoutes],
    subscribers: hostImportsSubscribers,
    jobs: [...hostAJobs, ...hostBJobs],
  }),
  domain('transfer', {
    routes: [exportRoutes, exportWebRoutes, archiveImportRoutes, relationImportRoutes],
    subscribers: [...exportSubscribers, ...archiveImportSubscribers],
    jobs: [...exportJobs, ...archiveImportJobs, takeRelation as Job],
    crons: exportCrons,
  }),
  domain('group_transfer', {
    routes: [groupExportRoutes, groupImportRoutes, relationExportRoutes, bulkImportRoutes],
    jobs: groupTransferJobs,
    crons: groupTransferCrons,
  }),
  domain('forks', { routes: [forksRoutes], jobs: forksJobs, subscribers: forksSubscribers }),
  domain('storage_moves', {
    routes: [storageMoveRoutes, storageMoveWindowRoutes],
    subscribers: storageMoveSubscribers,
    jobs: storageMoveJobs,
  }),
  domain('mirrors', {
    routes: [pushMirrorRoutes, pullMirrorRoutes, mirrorWindowRoutes],
    subscribers: [...pushMirrorSubscribers, ...pullMirrorSubscribers],
    jobs: [...pushMirrorJobs, ...pullMirrorJobs],
    crons: [...pushMirrorCrons, ...pullMirrorCrons],
  }),
  domain('maintenance', { routes: [maintenanceRoutes], jobs: maintenanceJobs, crons: maintenanceCrons }),
  domain('markdown', { routes: [markdownRoutes] }),
  domain('mail', { routes: [mailRoutes], jobs: mailJobs, crons: mailCrons }),
  domain('backups', { routes: [backupRoutes, backupLocalRoutes], jobs: backupJobs, crons: backupCrons }),
  domain('accounts', {
    routes: [
      accountsRoutes,
      accountStateRoutes,
      accountDeletionRoutes,
      accountEmailsRoutes,
      accountInsightsRoutes,
      ownAccountRoutes,
    ],
    jobs: accountDeletionJobs,
    crons: accountStateCrons,
    subscribers: accountMailSubscribers,
  }),
  domain('search', { routes: [searchRoutes] }),
  domain('snippets', {
    routes: [personalSnippets, projectSnippets, rawSnippets, snippetNotes],
    subscribers: snippetsSubscribers,
    jobs: snippetsJobs,
    crons: snippetsCrons,
  }),
  domain('wikis', {
    routes: [wikiRoutes, wikiWindowRoutes, wikiMarkupRoutes, wikiWebRoutes],
    subscribers: wikiSubscribers,
    jobs: wikiJobs,
  }),
  domain('releases', {
    routes: [releaseRoutes, groupReleaseRoutes, releaseLinkRoutes, releaseAddressRoutes, releaseWebRoutes],
    jobs: releaseJobs,
  }),
  domain('feature_flags', {
    routes: [
      featureFlagRoutes,
      featureFlagUserListRoutes,
      featureFlagClientRoutes,
      featureFlagEvaluationRoutes,
    ],
  }),
  domain('webhooks', {
    routes: [hookRoutes, hookTryingRoutes],
    subscribers: [
      ...deliverySubscribers,
      ...webhookCodeSubscribers,
      ...webhookPlanningSubscribers,
      ...webhookCiSubscribers,
      ...webhookSystemSubscribers,
      ...webhookWikiSubscribers,
    ],
    jobs: deliveryJobs,
    crons: [...deliveryCrons, ...webhookTokenCrons],
  }),
  domain('integrations', {
    routes: [integrationRoutes, integrationWindowRoutes, integrationCommandRoutes, chatNameRoutes],
    subscribers: integrationSubscribers,
    jobs: integrationJobs,
  }),
  domain('oauth', {
    routes: [
      oauthApplicationRoutes,
      oauthApplicationWindowRoutes,
      oauthAuthorizationRoutes,
      oauthTokenRoutes,
      oauthTokenWindowRoutes,
      oauthOpenIdRoutes,
    ],
    crons: oauthCrons,
  }),
  domain('system', { routes: [systemRoutes] }),
  domain('scim', { routes: [scimProtocolRoutes, scimIdentityRoutes, scimWindowRoutes] }),
  domain('audit', { routes: [auditRoutes], subscribers: auditSubscribers }),
]
