import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { DeploymentChanged, JobChanged, PipelineChanged, PipelineCreated } from '../ci/events.ts'
import { FeatureFlagChanged } from '../feature_flags/events.ts'
import { ReleaseCreated, ReleaseDeleted, ReleaseUpdated } from '../releases/events.ts'
import {
  DEPLOYMENT_STATUSES,
  deploymentEvent,
  featureFlagEvent,
  releaseEvent,
  releaseEventOf,
} from './payloads/deployments.ts'
import { firstJobEvents, jobEvent } from './payloads/job.ts'
import { pipelineEvent } from './payloads/pipeline.ts'
import type { Kind } from './recording/hook-event.ts'
import { isListened, recordAll } from './recording/service.ts'

interface OfProject {
  readonly project_id: number
  readonly actor_id: number | null
}

/** Whether anybody wants to hear of a kind of event in the project of an event. */
const heard =
  (kind: Kind) =>
  ({ project_id }: OfProject, ctx: Ctx): boolean =>
    isListened(ctx.db, kind, { project_id })

/** One order for all that happens to the jobs of a project. */
const ofJobs = ({ project_id }: OfProject): string => `webhooks.jobs:${project_id}`

/** Pipelines, jobs and deployments; each is told with the status of its event, for it may have gone on since. */
const running: Subscription[] = [
  on(
    PipelineCreated,
    'webhooks.pipeline_created',
    async (ctx, event) =>
      recordAll(ctx, [await pipelineEvent(ctx, event.pipeline_id, event.status)], event.actor_id),
    // One that has something to do is told of when it begins to wait for it.
    { only: (event, ctx) => event.status !== 'created' && heard('pipeline')(event, ctx) },
  ),
  on(
    PipelineChanged,
    'webhooks.pipeline_changed',
    async (ctx, event) =>
      recordAll(ctx, [await pipelineEvent(ctx, event.pipeline_id, event.status)], event.actor_id),
    { only: heard('pipeline') },
  ),
  // Jobs of a new pipeline tell of themselves only when they go on, for they may be very many.
  on(
    PipelineCreated,
    'webhooks.jobs_created',
    async (ctx, event) => recordAll(ctx, await firstJobEvents(ctx, event.pipeline_id), event.actor_id),
    { key: ofJobs, only: (event, ctx) => event.status === 'created' && heard('job')(event, ctx) },
  ),
  on(
    JobChanged,
    'webhooks.job_changed',
    async (ctx, event) => recordAll(ctx, [await jobEvent(ctx, event.job_id, event.status)], event.actor_id),
    { key: ofJobs, only: (event, ctx) => event.kind === 'job' && heard('job')(event, ctx) },
  ),
  on(
    DeploymentChanged,
    'webhooks.deployment_changed',
    async (ctx, event) => recordAll(ctx, [await deploymentEvent(ctx, event)], event.actor_id),
    { only: (event, ctx) => DEPLOYMENT_STATUSES.has(event.status) && heard('deployment')(event, ctx) },
  ),
]

/** What is brought to people. */
const publishing: Subscription[] = [
  on(
    FeatureFlagChanged,
    'webhooks.feature_flag_changed',
    (ctx, event) => recordAll(ctx, [featureFlagEvent(ctx, event)], event.actor_id),
    { only: (event, ctx) => event.toggled && heard('feature_flag')(event, ctx) },
  ),
  on(
    ReleaseCreated,
    'webhooks.release_created',
    async (ctx, event) =>
      recordAll(ctx, [await releaseEvent(ctx, event.release_id, 'create')], event.actor_id),
    { only: heard('release') },
  ),
  on(
    ReleaseUpdated,
    'webhooks.release_updated',
    async (ctx, event) =>
      recordAll(ctx, [await releaseEvent(ctx, event.release_id, 'update')], event.actor_id),
    {
      // Links that come and go by themselves are no new edition of the release.
      only: (event, ctx) => event.changed.some((name) => name !== 'links') && heard('release')(event, ctx),
    },
  ),
  on(
    ReleaseDeleted,
    'webhooks.release_deleted',
    async (ctx, event) => {
      const release = { ...event, id: event.release_id }
      recordAll(ctx, [await releaseEventOf(ctx, release, 'delete')], event.actor_id)
    },
    { only: heard('release') },
  ),
]

export const subscribers: Subscription[] = [...running, ...publishing]
