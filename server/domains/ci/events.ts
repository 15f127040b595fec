import { z } from 'zod'

import { event } from '../../events/event.ts'

const variable = {
  /** At most one of `project_id` and `group_id` is set, and none of them for a variable of the instance. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  variable_id: z.number(),
  actor_id: z.number().nullable(),
}

/** A variable was created. */
export const VariableCreated = event('ci_variable.created', variable)

/** A variable was updated. */
export const VariableUpdated = event('ci_variable.updated', variable)

/** A variable was deleted. */
export const VariableRemoved = event('ci_variable.removed', variable)

/** Another system created or updated the status of a commit. */
export const CommitStatusChanged = event('commit_status.changed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  status_id: z.number(),
  sha: z.string(),
  ref: z.string().nullable(),
  name: z.string(),
  status: z.string(),
})

const ids = { project_id: z.number(), secure_file_id: z.number(), actor_id: z.number().nullable() }

/** A secure file was created. */
export const SecureFileCreated = event('secure_file.created', ids)

/** The metadata of a secure file that is a certificate or a profile was stored. */
export const SecureFileRead = event('secure_file.read', ids)

/** A secure file was deleted. */
export const SecureFileRemoved = event('secure_file.removed', ids)

const pipelineStatus = z.enum([
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'success',
  'failed',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
])
const jobStatus = z.enum([...pipelineStatus.options, 'canceling'])

const pipeline = {
  project_id: z.number(),
  pipeline_id: z.number(),
  actor_id: z.number().nullable(),
  ref: z.string(),
  sha: z.string(),
  source: z.string(),
  merge_request_id: z.number().nullable(),
}

/** A pipeline was created, with its jobs or with the errors of its configuration. */
export const PipelineCreated = event('pipeline.created', { ...pipeline, status: pipelineStatus })

/** The status of a pipeline changed. */
export const PipelineChanged = event('pipeline.changed', {
  ...pipeline,
  status: pipelineStatus,
  previous_status: z.string(),
})

/** A pipeline was deleted with its jobs. */
export const PipelineDeleted = event(
  'pipeline.deleted',
  {
    project_id: z.number(),
    pipeline_id: z.number(),
    actor_id: z.number().nullable(),
  },
  { ends: 'pipeline_id' },
)

/** The status of a job, trigger job or external commit status changed. On creation `previous_status` is null. */
export const JobChanged = event('job.changed', {
  project_id: z.number(),
  pipeline_id: z.number(),
  job_id: z.number(),
  kind: z.enum(['job', 'bridge', 'external']),
  name: z.string(),
  status: jobStatus,
  previous_status: z.string().nullable(),
  runner_id: z.number().nullable(),
  has_environment: z.boolean(),
  actor_id: z.number().nullable(),
})

/** The log of a job grew to `size` bytes, or was erased. Only windows that show the log use the event. */
export const TraceChanged = event('job.trace_changed', {
  project_id: z.number(),
  pipeline_id: z.number(),
  job_id: z.number(),
  size: z.number(),
})

/** Artifacts of a job were added, expired or were removed. */
export const ArtifactsChanged = event('job.artifacts_changed', {
  project_id: z.number(),
  job_id: z.number(),
  actor_id: z.number().nullable(),
})

/** A runner was registered, changed, paused, assigned or removed. Only administrators receive events of instance runners. */
export const RunnerChanged = event('runner.changed', {
  runner_id: z.number(),
  action: z.enum(['registered', 'changed', 'removed']),
  runner_type: z.string(),
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  actor_id: z.number().nullable(),
})

/** A schedule was created, changed, run or removed. */
export const ScheduleChanged = event('schedule.changed', {
  project_id: z.number(),
  schedule_id: z.number(),
  actor_id: z.number().nullable(),
})

/** An environment was created, changed, started, stopped or removed. */
export const EnvironmentChanged = event('environment.changed', {
  project_id: z.number(),
  environment_id: z.number(),
  state: z.string(),
  actor_id: z.number().nullable(),
})

/** A deployment was created, or its status changed. */
export const DeploymentChanged = event('deployment.changed', {
  project_id: z.number(),
  deployment_id: z.number(),
  environment_id: z.number(),
  status: z.string(),
  actor_id: z.number().nullable(),
})
