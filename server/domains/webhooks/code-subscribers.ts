import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { RefsUpdated } from '../repository/events.ts'
import { settingsOf } from '../settings/index.ts'
import { WikiPageChanged } from '../wikis/events.ts'
import { type Push, pushEvent, type RefMove } from './payloads/push.ts'
import { wikiPageEvent } from './payloads/wiki-page.ts'
import { isListened, recordAll } from './recording/service.ts'

interface Pushed extends Push {
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
function announcedMoves(ctx: Ctx, push: Pushed): RefMove[] {
  const { project_id, updates, branches, tags } = push
  const limit = settingsOf(ctx).push_event_hooks_limit
  const isAnnounced = (kind: 'push' | 'tag_push', moved: number): boolean =>
    moved > 0 && moved <= limit && isListened(ctx.db, kind, { project_id })
  const [withBranches, withTags] = [isAnnounced('push', branches), isAnnounced('tag_push', tags)]
  return updates.filter((move) => (isTag(move) ? withTags : withBranches))
}

/** Pushes of branches and tags, and changes of wiki pages through the API or the window (spec administration 10.2). */
export const subscribers: Subscription[] = [
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
      only: ({ project_id, group_id }, ctx) => isListened(ctx.db, 'wiki_page', { project_id, group_id }),
    },
  ),
]
