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
  /** Old and new values of columns that every reader of the group may see. */
  changes: columnChangesShape.optional(),
  /** The previous full path, if it changed. */
  old_path: z.string().optional(),
})

const paths = { ...ids, old_full_path: z.string(), full_path: z.string() }

/** The path of a group changed within its parent. The paths of everything below it changed, too. */
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

/** A share was removed before it expired. Expired shares publish `share.expired`. */
export const GroupUnshared = event('group.unshared', link)

/** A group was marked for deletion after the delay in the settings. */
export const GroupDeletionMarked = event('group.deletion_marked', ids)

/** A group that was marked for deletion was restored. */
export const GroupRestored = event('group.restored', ids)

/** A group was deleted. Its subgroups and projects have published their deletions already. */
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
