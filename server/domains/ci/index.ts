import { builtInRunner } from './built_in_runner/service.ts'
import { failedPipelines, runningJobNames } from './overview/service.ts'
import { domain } from '../../domain.ts'
import { subscribers } from './subscribers.ts'
import { environmentEvents, jobEvents, runnerEvents } from './visibility.ts'
import { attachBuiltInRunner } from './built_in_runner/control.ts'
import { closeQueues } from './runner_protocol/queue.ts'
import { crons as artifactCrons, jobs as artifactJobs } from './artifacts/expiry.ts'
import * as artifactRoutes from './artifacts/routes.ts'
import * as artifactRunnerRoutes from './artifacts/runner-routes.ts'
import * as artifactWebRoutes from './artifacts/web-routes.ts'
import * as builtInRunnerRoutes from './built_in_runner/routes.ts'
import { crons as environmentCrons } from './environments/service.ts'
import * as deploymentRoutes from './environments/deployments/routes.ts'
import { jobs as environmentJobs } from './environments/jobs.ts'
import * as environmentRoutes from './environments/routes.ts'
import * as jobRoutes from './jobs/routes.ts'
import * as ciLintRoutes from './lint/routes.ts'
import * as ciOverviewRoutes from './overview/routes.ts'
import { jobs as pipelineCreationJobs } from './pipelines/creation/jobs.ts'
import * as pipelineRoutes from './pipelines/routes.ts'
import { crons as processingCrons, jobs as processingJobs } from './processing/jobs.ts'
import { crons as reportCrons, jobs as reportJobs } from './reports/service.ts'
import * as reportRoutes from './reports/routes.ts'
import * as resourceGroupRoutes from './resource_groups/routes.ts'
import * as runnerProtocolRoutes from './runner_protocol/routes.ts'
import * as runnerRegistrationRoutes from './runners/registration-routes.ts'
import * as runnerRoutes from './runners/routes.ts'
import { jobs as scheduleJobs, crons as scheduleCrons } from './schedules/jobs.ts'
import * as scheduleRoutes from './schedules/routes.ts'
import { crons as secureFileCrons, jobs as secureFileJobs } from './secure_files/service.ts'
import * as secureFileRoutes from './secure_files/routes.ts'
import * as statusesRoutes from './statuses/routes.ts'
import { crons as traceCrons } from './traces/archive.ts'
import * as triggerRoutes from './triggers/routes.ts'
import * as variableRoutes from './variables/routes.ts'

export { variablesFor, type PlainVariable, type VariableUse } from './variables/service.ts'
export { secureFileContent } from './secure_files/describe.ts'
export {
  pipelineForStatuses,
  refreshForStatus,
  startVariables as variablesGivenTo,
  withPaths,
  showPipeline,
  showPipelines,
} from './pipelines/service.ts'
export { showJob, showJobs, type BridgeView, type JobView } from './jobs/view.ts'
export { readTrace } from './traces/service.ts'
export { byId as jobById, type JobRow } from './jobs/store.ts'
export {
  byId as pipelineById,
  byIds as pipelinesByIds,
  newestOfCommit as newestPipelineOf,
  type PipelineRow,
} from './pipelines/store.ts'
export { pipelineStatusTexts } from './pipelines/detailed-status.ts'
export { stopEnvironmentsOf, type StopCause as EnvironmentStopCause } from './environments/stop.ts'
export {
  successfulDeployment,
  deploymentOf,
  environmentOf,
  type SuccessfulDeployment,
} from './environments/deployments/service.ts'
export { abilities as ciAbilities } from './policy.ts'
export { createPipeline, tryPipeline } from './pipelines/creation/service.ts'
export type { PipelineRequest } from './pipelines/creation/request.ts'
export type { PipelineView } from './pipelines/entity.ts'
export { keepArtifacts } from './artifacts/service.ts'
export { play as startJob } from './jobs/service.ts'
export { manualJobsFor } from './environments/service.ts'

export { endHeldRequests } from './runner_protocol/queue.ts'
export { runRecorded } from './jobs/service.ts'

export const ciDomain = domain({
  name: 'ci',
  subjects: { pipeline_id: 'ci_pipelines', job_id: 'ci_jobs' },
  routes: [
    statusesRoutes,
    runnerProtocolRoutes,
    builtInRunnerRoutes,
    runnerRoutes,
    runnerRegistrationRoutes,
    pipelineRoutes,
    jobRoutes,
    triggerRoutes,
    ciLintRoutes,
    ciOverviewRoutes,
    environmentRoutes,
    deploymentRoutes,
    variableRoutes,
    scheduleRoutes,
    resourceGroupRoutes,
    secureFileRoutes,
    artifactRoutes,
    reportRoutes,
    artifactRunnerRoutes,
    artifactWebRoutes,
  ],
  subscribers: [...subscribers],
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
    ...processingCrons,
    ...reportCrons,
    ...traceCrons,
    ...artifactCrons,
    ...environmentCrons,
    ...scheduleCrons,
    ...secureFileCrons,
  ],
  visibleTo: [jobEvents, environmentEvents, runnerEvents],
  ports: { builtInRunner, runningJobs: runningJobNames, failedPipelines },
  open: attachBuiltInRunner,
  stop: closeQueues,
  reloads: {
    ci_variable: ['owner', 'admin/ci/variables'],
    pipeline: [
      'pipelines',
      'jobs',
      'statuses',
      'environments',
      'deployments',
      '/projects/:id/repository/commits/:sha',
      '/projects/:id/merge_requests',
      '/projects/:id/merge_requests/:merge_request_iid',
      'milestones/:milestone_id/merge_requests',
      '/merge_requests',
      '+/groups/:id/merge_requests',
      'pipeline_states',
    ],
    job: ['pipelines', 'jobs', 'statuses', 'environments', 'deployments', 'resource_groups', 'running_jobs'],
    // A log grows all the time. Views that show it listen.
    'job.trace_changed': [],
    // The event of a project runner names only one of its projects.
    runner: ['+runners', 'built_in_runner'],
    schedule: ['pipeline_schedules'],
    environment: ['environments', 'deployments'],
    deployment: ['environments', 'deployments', '/projects/:id/merge_requests/:merge_request_iid'],
  },
})
