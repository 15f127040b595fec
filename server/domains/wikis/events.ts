import { z } from 'zod'

import { event } from '../../events/event.ts'

/** Exactly one of the two is given. */
const owned = {
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A page of a wiki was written, changed, renamed or removed, through the API or the window. */
export const WikiPageChanged = event('wiki_page.changed', {
  ...owned,
  wiki_page_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
  slug: z.string(),
  title: z.string(),
  format: z.string(),
  /** Text of the commit. */
  message: z.string(),
  /** The commit that the change is, and the one before it; null for the first. */
  commit: z.string(),
  previous_commit: z.string().nullable(),
})

/** Somebody pushed to a wiki with git. `pages`: those that the push touched, at most 100. */
export const WikiPushed = event('wiki.pushed', {
  ...owned,
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
