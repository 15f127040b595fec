import { builtInRunner } from './built_in_runner/service.ts'
import { failedPipelines, runningJobNames } from './overview/service.ts'
import { domain } from '../../domain.ts'
import { subscribers } from './subscribers.ts'
import { environmentEvents, jobEvents, runnerEvents } from './visibility.ts'
import { attachBuiltInRunner } from './built_in_runner/control.ts'
import { closeQueues } from './runner_protocol/queue.ts'
import { crons as artifactCrons, jobs as artifactJobs } from './artifacts/expiry.ts'
import * as artifactWebRoutes from './artifacts/web-routes.ts'
import { crons as environmentCrons } from './environments/service.ts'
import { jobs as environmentJobs } from './environments/jobs.ts'
import { jobs as pipelineCreationJobs } from './pipelines/creation/jobs.ts'
import { crons as processingCrons, jobs as processingJobs } from './processing/jobs.ts'
import { crons as reportCrons, jobs as reportJobs } from './reports/service.ts'
import { jobs as scheduleJobs, crons as scheduleCrons } from './schedules/jobs.ts'
import { crons as secureFileCrons, jobs as secureFileJobs } from './secure_files/service.ts'
import { crons as traceCrons } from './traces/archive.ts'

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
  endpoints: () =>
    Promise.all([
      import('./statuses/routes.ts'),
      import('./runner_protocol/routes.ts'),
      import('./built_in_runner/routes.ts'),
      import('./runners/routes.ts'),
      import('./runners/registration-routes.ts'),
      import('./pipelines/routes.ts'),
      import('./jobs/routes.ts'),
      import('./triggers/routes.ts'),
      import('./lint/routes.ts'),
      import('./overview/routes.ts'),
      import('./environments/routes.ts'),
      import('./environments/deployments/routes.ts'),
      import('./variables/routes.ts'),
      import('./schedules/routes.ts'),
      import('./resource_groups/routes.ts'),
      import('./secure_files/routes.ts'),
      import('./artifacts/routes.ts'),
      import('./reports/routes.ts'),
      import('./artifacts/runner-routes.ts'),
    ]),
  webRoutes: [artifactWebRoutes],
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
