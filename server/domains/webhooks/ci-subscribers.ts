import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { DeploymentChanged, JobChanged, PipelineChanged, PipelineCreated } from '../ci/events.ts'
import { FeatureFlagChanged } from '../feature_flags/events.ts'
import { ReleaseCreated, ReleaseDeleted, ReleaseUpdated } from '../releases/events.ts'
import { RefsUpdated } from '../repository/events.ts'
import { settingsOf } from '../settings/index.ts'
import { WikiPageChanged } from '../wikis/events.ts'
import {
  DEPLOYMENT_STATUSES,
  deploymentEvent,
  featureFlagEvent,
  releaseEvent,
  releaseEventOf,
} from './payloads/deployments.ts'
import { firstJobEvents, jobEvent } from './payloads/job.ts'
import { pipelineEvent } from './payloads/pipeline.ts'
import { type Push, pushEvent, type RefMove } from './payloads/push.ts'
import { wikiPageEvent } from './payloads/wiki-page.ts'
import type { Kind } from './recording/hook-event.ts'
import { hasListenerFor, recordAll } from './recording/service.ts'

interface PushOfRefs extends Push {
  readonly updates: readonly RefMove[]
  /** The numbers of branches and tags that a whole push moved, even if the push has several events. */
  readonly branches: number
  readonly tags: number
}

const isTag = ({ ref }: RefMove): boolean => ref.startsWith('refs/tags/')

/**
 * Returns the refs that get an event: all branches and all tags, unless the push moved more of them than
 * `push_event_hooks_limit` (spec administration 1, "push_event_hooks_limit"), or there is no listener.
 */
function announcedMoves(ctx: Ctx, push: PushOfRefs): RefMove[] {
  const { project_id, updates, branches, tags } = push
  const limit = settingsOf(ctx).push_event_hooks_limit
  const isAnnounced = (kind: 'push' | 'tag_push', moved: number): boolean =>
    moved > 0 && moved <= limit && hasListenerFor(ctx.db, kind, { project_id })
  const [withBranches, withTags] = [isAnnounced('push', branches), isAnnounced('tag_push', tags)]
  return updates.filter((move) => (isTag(move) ? withTags : withBranches))
}

interface ProjectEvent {
  readonly project_id: number
  readonly actor_id: number | null
}

/** A filter for events: true if a webhook or integration of the project listens to the kind. */
const hasListener =
  (kind: Kind) =>
  ({ project_id }: ProjectEvent, ctx: Ctx): boolean =>
    hasListenerFor(ctx.db, kind, { project_id })

/** The key that keeps the job events of a project in order. */
const jobsKey = ({ project_id }: ProjectEvent): string => `webhooks.jobs:${project_id}`

/** Pipelines, jobs and deployments. Payloads carry the status of the event, because the row may have changed since. */
const ciSubscriptions: Subscription[] = [
  on(
    PipelineCreated,
    'webhooks.pipeline_created',
    async (ctx, event) =>
      recordAll(ctx, [await pipelineEvent(ctx, event.pipeline_id, event.status)], event.actor_id),
    // A pipeline with jobs is announced when its first jobs become pending.
    { only: (event, ctx) => event.status !== 'created' && hasListener('pipeline')(event, ctx) },
  ),
  on(
    PipelineChanged,
    'webhooks.pipeline_changed',
    async (ctx, event) =>
      recordAll(ctx, [await pipelineEvent(ctx, event.pipeline_id, event.status)], event.actor_id),
    { only: hasListener('pipeline') },
  ),
  // New jobs publish no events of their own, because a pipeline may have thousands.
  on(
    PipelineCreated,
    'webhooks.jobs_created',
    async (ctx, event) => recordAll(ctx, await firstJobEvents(ctx, event.pipeline_id), event.actor_id),
    { key: jobsKey, only: (event, ctx) => event.status === 'created' && hasListener('job')(event, ctx) },
  ),
  on(
    JobChanged,
    'webhooks.job_changed',
    async (ctx, event) => recordAll(ctx, [await jobEvent(ctx, event.job_id, event.status)], event.actor_id),
    { key: jobsKey, only: (event, ctx) => event.kind === 'job' && hasListener('job')(event, ctx) },
  ),
  on(
    DeploymentChanged,
    'webhooks.deployment_changed',
    async (ctx, event) => recordAll(ctx, [await deploymentEvent(ctx, event)], event.actor_id),
    { only: (event, ctx) => DEPLOYMENT_STATUSES.has(event.status) && hasListener('deployment')(event, ctx) },
  ),
]

/** Feature flags and releases. */
const releaseSubscriptions: Subscription[] = [
  on(
    FeatureFlagChanged,
    'webhooks.feature_flag_changed',
    (ctx, event) => recordAll(ctx, [featureFlagEvent(ctx, event)], event.actor_id),
    { only: (event, ctx) => event.toggled && hasListener('feature_flag')(event, ctx) },
  ),
  on(
    ReleaseCreated,
    'webhooks.release_created',
    async (ctx, event) =>
      recordAll(ctx, [await releaseEvent(ctx, event.release_id, 'create')], event.actor_id),
    { only: hasListener('release') },
  ),
  on(
    ReleaseUpdated,
    'webhooks.release_updated',
    async (ctx, event) =>
      recordAll(ctx, [await releaseEvent(ctx, event.release_id, 'update')], event.actor_id),
    {
      // A change of links alone is not an update of the release.
      only: (event, ctx) =>
        event.changed.some((name) => name !== 'links') && hasListener('release')(event, ctx),
    },
  ),
  on(
    ReleaseDeleted,
    'webhooks.release_deleted',
    async (ctx, event) => {
      const release = { ...event, id: event.release_id }
      recordAll(ctx, [await releaseEventOf(ctx, release, 'delete')], event.actor_id)
    },
    { only: hasListener('release') },
  ),
]

export const subscribers: Subscription[] = [
  ...ciSubscriptions,
  ...releaseSubscriptions,
  on(
    RefsUpdated,
    'webhooks.push',
    async (ctx, push) => {
      const events = await Promise.all(announcedMoves(ctx, push).map((move) => pushEvent(ctx, push, move)))
      recordAll(ctx, events, push.actor_id)
    },
    { only: (push, ctx) => announcedMoves(ctx, push).length > 0 },
  ),
  on(
    WikiPageChanged,
    'webhooks.wiki_page',
    async (ctx, event) => recordAll(ctx, [await wikiPageEvent(ctx, event)], event.actor_id),
    {
      key: ({ project_id, group_id }) => `webhooks.wiki:${project_id ?? 0}:${group_id ?? 0}`,
      only: ({ project_id, group_id }, ctx) => hasListenerFor(ctx.db, 'wiki_page', { project_id, group_id }),
    },
  ),
]
