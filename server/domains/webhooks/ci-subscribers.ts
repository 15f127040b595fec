import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/facts.ts'
import { DeploymentChanged, JobChanged, PipelineChanged, PipelineCreated } from '../ci/events.ts'
import { FeatureFlagChanged } from '../feature_flags/events.ts'
import { ReleaseCreated, ReleaseDeleted, ReleaseUpdated } from '../releases/events.ts'
import { deploymentEvent, TOLD_DEPLOYMENTS } from './payloads/deployment.ts'
import { featureFlagEvent } from './payloads/feature-flag.ts'
import { firstJobEvents, jobEvent } from './payloads/job.ts'
import { pipelineEvent } from './payloads/pipeline.ts'
import { releaseEvent, releaseEventOf } from './payloads/release.ts'
import type { Kind } from './recording/hook-event.ts'
import { isListened } from './recording/record.ts'
import { tell } from './tell.ts'

interface OfProject {
  readonly project_id: number
  readonly actor_id: number | null
}

/** Whether anybody wants to hear of a kind of event in the project of a fact. */
const heard =
  (kind: Kind) =>
  ({ project_id }: OfProject, ctx: Ctx): boolean =>
    isListened(ctx.db, kind, { project_id })

/** One order for all that happens to the jobs of a project. */
const ofJobs = ({ project_id }: OfProject): string => `webhooks.jobs:${project_id}`

/** Pipelines, jobs and deployments; each is told with the status of its fact, for it may have gone on since. */
const running: Subscription[] = [
  on(
    PipelineCreated,
    'webhooks.pipeline_created',
    async (ctx, fact) => tell(ctx, [await pipelineEvent(ctx, fact.pipeline_id, fact.status)], fact.actor_id),
    // One that has something to do is told of when it begins to wait for it.
    { only: (fact, ctx) => fact.status !== 'created' && heard('pipeline')(fact, ctx) },
  ),
  on(
    PipelineChanged,
    'webhooks.pipeline_changed',
    async (ctx, fact) => tell(ctx, [await pipelineEvent(ctx, fact.pipeline_id, fact.status)], fact.actor_id),
    { only: heard('pipeline') },
  ),
  // Jobs of a new pipeline tell of themselves only when they go on, for they may be very many.
  on(
    PipelineCreated,
    'webhooks.jobs_created',
    async (ctx, fact) => tell(ctx, await firstJobEvents(ctx, fact.pipeline_id), fact.actor_id),
    { key: ofJobs, only: (fact, ctx) => fact.status === 'created' && heard('job')(fact, ctx) },
  ),
  on(
    JobChanged,
    'webhooks.job_changed',
    async (ctx, fact) => tell(ctx, [await jobEvent(ctx, fact.job_id, fact.status)], fact.actor_id),
    { key: ofJobs, only: (fact, ctx) => fact.kind === 'job' && heard('job')(fact, ctx) },
  ),
  on(
    DeploymentChanged,
    'webhooks.deployment_changed',
    async (ctx, fact) => tell(ctx, [await deploymentEvent(ctx, fact)], fact.actor_id),
    { only: (fact, ctx) => TOLD_DEPLOYMENTS.has(fact.status) && heard('deployment')(fact, ctx) },
  ),
]

/** What is brought to people. */
const publishing: Subscription[] = [
  on(
    FeatureFlagChanged,
    'webhooks.feature_flag_changed',
    (ctx, fact) => tell(ctx, [featureFlagEvent(ctx, fact)], fact.actor_id),
    { only: (fact, ctx) => fact.toggled && heard('feature_flag')(fact, ctx) },
  ),
  on(
    ReleaseCreated,
    'webhooks.release_created',
    async (ctx, fact) => tell(ctx, [await releaseEvent(ctx, fact.release_id, 'create')], fact.actor_id),
    { only: heard('release') },
  ),
  on(
    ReleaseUpdated,
    'webhooks.release_updated',
    async (ctx, fact) => tell(ctx, [await releaseEvent(ctx, fact.release_id, 'update')], fact.actor_id),
    {
      // Links that come and go by themselves are no new edition of the release.
      only: (fact, ctx) => fact.changed.some((name) => name !== 'links') && heard('release')(fact, ctx),
    },
  ),
  on(
    ReleaseDeleted,
    'webhooks.release_deleted',
    async (ctx, fact) => {
      const release = { ...fact, id: fact.release_id }
      tell(ctx, [await releaseEventOf(ctx, release, 'delete')], fact.actor_id)
    },
    { only: heard('release') },
  ),
]

export const subscribers: Subscription[] = [...running, ...publishing]
