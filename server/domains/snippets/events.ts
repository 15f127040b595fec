import { z } from 'zod'

import { event } from '../../events/event.ts'

const ids = {
  snippet_id: z.number(),
  project_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A snippet was created, including its files. */
export const SnippetCreated = event('snippet.created', ids)

/** The texts, visibility or files of a snippet changed. */
export const SnippetUpdated = event('snippet.updated', ids)

/** A snippet was deleted. Its repository is still on disk. */
export const SnippetDeleted = event(
  'snippet.deleted',
  {
    ...ids,
    repository_storage: z.string().default('default'),
    disk_path: z.string(),
  },
  { ends: 'snippet_id' },
)
