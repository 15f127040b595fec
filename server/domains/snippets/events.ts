import { z } from 'zod'

import { event } from '../../events/event.ts'

const ids = {
  snippet_id: z.number(),
  project_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A snippet was made and its files can be read. */
export const SnippetCreated = event('snippet.created', ids)

/** Its texts, its visibility or its files changed. */
export const SnippetUpdated = event('snippet.updated', ids)

/** A snippet is gone; its repository is still to be removed from disk. */
export const SnippetDeleted = event(
  'snippet.deleted',
  {
    ...ids,
    repository_storage: z.string().default('default'),
    disk_path: z.string(),
  },
  { ends: 'snippet_id' },
)
