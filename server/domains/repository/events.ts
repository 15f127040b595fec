import { z } from 'zod'

import { event } from '../../events/event.ts'

/** Refs that one event names at most; a larger push becomes several events. */
export const MAX_UPDATES = 200

/**
 * Branches or tags moved, by push, API or merge, or because they moved in the repository that the project follows. `old` is null for a new ref, `new` for a deleted one. A push of very
 * many refs is told in parts, numbered from 1.
 */
export const RefsUpdated = event('refs.updated', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  source: z.enum(['push', 'api', 'merge', 'mirror']),
  updates: z
    .array(z.object({ ref: z.string(), old: z.string().nullable(), new: z.string().nullable() }))
    .max(MAX_UPDATES),
  part: z.number(),
  parts: z.number(),
  /** How many of either moved in all parts together. */
  branches: z.number(),
  tags: z.number(),
  /** What the user gave with `git push -o`. */
  push_options: z.array(z.string()).optional(),
})

/** Size and counts of a repository were worked out anew, a moment after its refs moved. */
export const StatisticsUpdated = event('repository.statistics_updated', { project_id: z.number() })

/** A branch or pattern was protected, its protection changed or was taken away. */
export const ProtectedBranchesChanged = event('protected_branches.changed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  name: z.string(),
  action: z.enum(['protected', 'changed', 'unprotected']),
})

/** A tag or pattern was protected, or its protection was taken away. */
export const ProtectedTagsChanged = event('protected_tags.changed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  name: z.string(),
  action: z.enum(['protected', 'unprotected']),
})

/** Somebody took away the code of more projects than the settings allow; `is_banned` when that is to end in a ban. */
export const DownloadsExceeded = event('repository.downloads_exceeded', {
  user_id: z.number(),
  count: z.number(),
  is_banned: z.boolean(),
})
