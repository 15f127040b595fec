import { z } from 'zod'

import { event } from '../../events/event.ts'

/** The owner: exactly one of the two is set. */
const ownerFields = {
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A page was created, updated, renamed or deleted through the API or the window. */
export const WikiPageChanged = event('wiki_page.changed', {
  ...ownerFields,
  wiki_page_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
  slug: z.string(),
  title: z.string(),
  format: z.string(),
  /** The commit message. */
  message: z.string(),
  /** The commit of the change, and the one before it; null for the first. */
  commit: z.string(),
  previous_commit: z.string().nullable(),
})

/** A git push to a wiki, with at most 100 of the changed pages. */
export const WikiPushed = event('wiki.pushed', {
  ...ownerFields,
  before: z.string().nullable(),
  after: z.string(),
  pages: z.array(
    z.object({
      wiki_page_id: z.number(),
      action: z.enum(['created', 'updated', 'deleted']),
      slug: z.string(),
      title: z.string(),
      format: z.string(),
    }),
  ),
})
