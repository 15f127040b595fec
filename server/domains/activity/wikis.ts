import type { Ctx } from '../../ctx.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { WikiPageChanged, WikiPushed } from '../wikis/events.ts'
import { WIKI_PAGE } from './event-row.ts'
import { record } from './service.ts'

interface Page {
  readonly wiki_page_id: number
  readonly action: 'created' | 'updated' | 'deleted'
  readonly slug: string
  readonly title: string
  readonly format: string
}

interface Owned {
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
  readonly actor_id: number | null
}

const ACTIONS = { created: 'created', updated: 'updated', deleted: 'destroyed' } as const

/** A line about a page of a wiki; of the wiki of a group its author alone sees it. */
function recordPage(ctx: Ctx, { project_id, group_id, actor_id }: Owned, page: Page): void {
  if (actor_id === null) return
  const { format, slug, title } = page
  record(ctx, {
    project_id: project_id ?? null,
    namespace_id: group_id ?? null,
    author_id: actor_id,
    action: ACTIONS[page.action],
    target_type: WIKI_PAGE,
    target_id: page.wiki_page_id,
    target_title: title,
    details: JSON.stringify({ format, slug, title }),
  })
}

const key = ({ project_id, group_id }: Owned): string => `activity:${project_id ?? 0}:${group_id ?? 0}`

/** Lines about pages of wikis, changed here or with git (spec core 6.8, administration 10.2). */
export const wikiPages: Subscription[] = [
  on(WikiPageChanged, 'activity.wiki_page', (ctx, event) => recordPage(ctx, event, event), { key }),
  on(
    WikiPushed,
    'activity.wiki_push',
    (ctx, event) => {
      for (const page of event.pages) recordPage(ctx, event, page)
    },
    { key },
  ),
]
