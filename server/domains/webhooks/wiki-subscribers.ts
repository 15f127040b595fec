import { on, type Subscription } from '../../events/publish.ts'
import { WikiPageChanged } from '../wikis/events.ts'
import { wikiPageEvent } from './payloads/wiki-page.ts'
import { isListened } from './recording/record.ts'
import { tell } from './tell.ts'

/** Pages of wikis that were changed through the API or the window; what git pushes is not told (spec administration 10.2). */
export const subscribers: Subscription[] = [
  on(
    WikiPageChanged,
    'webhooks.wiki_page',
    async (ctx, event) => tell(ctx, [await wikiPageEvent(ctx, event)], event.actor_id),
    {
      key: ({ project_id, group_id }) => `webhooks.wiki:${project_id ?? 0}:${group_id ?? 0}`,
      only: ({ project_id, group_id }, ctx) => isListened(ctx.db, 'wiki_page', { project_id, group_id }),
    },
  ),
]
