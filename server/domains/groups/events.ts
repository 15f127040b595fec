import { z } from 'zod'

import { event } from '../../events/event.ts'
import { columnChangesShape } from '../../lib/column-changes.ts'

const ids = { group_id: z.number(), actor_id: z.number().nullable() }

/** A group was created. */
export const GroupCreated = event('group.created', { ...ids, parent_id: z.number().nullable() })

/** Settings of a group changed; `changed` names the columns. */
export const GroupUpdated = event('group.updated', {
  ...ids,
  changed: z.array(z.string()),
  /** Old and new values of the columns that all viewers of the group may know. */
  changes: columnChangesShape.optional(),
  /** The previous full path, if it changed. */
  old_path: z.string().optional(),
})

const paths = { ...ids, old_full_path: z.string(), full_path: z.string() }

/** The path of a group changed, and so did the paths of everything below it. Its parent is the same. */
export const GroupRenamed = event('group.renamed', paths)

/** A group moved to another parent or to the top level, with everything below it. */
export const GroupTransferred = event('group.transferred', {
  ...paths,
  old_parent_id: z.number().nullable(),
  parent_id: z.number().nullable(),
})

const link = { ...ids, invited_group_id: z.number(), access_level: z.number() }

/** A group was invited into another. */
export const GroupShared = event('group.shared', { ...link, expires_at: z.string().nullable() })

/** A share ended before it expired. Expired shares publish `share.expired`. */
export const GroupUnshared = event('group.unshared', link)

/** A group was marked for deletion. The settings define the delay. */
export const GroupDeletionMarked = event('group.deletion_marked', ids)

/** A group that was marked for deletion was restored. */
export const GroupRestored = event('group.restored', ids)

/** A group was deleted. Its subgroups and projects published their deletions before. The parent may be deleted next. */
export const GroupDeleted = event(
  'group.deleted',
  {
    ...ids,
    name: z.string(),
    path: z.string(),
    full_path: z.string(),
    parent_id: z.number().nullable(),
    parent_name: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  },
  { ends: 'group_id' },
)
