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
  /** Former and new value of what everybody who sees it may know. */
  changes: columnChangesShape.optional(),
  /** Full path before, when that changed. */
  old_path: z.string().optional(),
})

const paths = { ...ids, old_full_path: z.string(), full_path: z.string() }

/** A group got another address below the same parent; everything below it moved along. */
export const GroupRenamed = event('group.renamed', paths)

/** A group went below another parent, or to the top; everything below it moved along. */
export const GroupTransferred = event('group.transferred', {
  ...paths,
  old_parent_id: z.number().nullable(),
  parent_id: z.number().nullable(),
})

const link = { ...ids, invited_group_id: z.number(), access_level: z.number() }

/** A group was invited into another. */
export const GroupShared = event('group.shared', { ...link, expires_at: z.string().nullable() })

/** An invited group was sent away; one whose day came is told of by `share.expired`. */
export const GroupUnshared = event('group.unshared', link)

/** A group will be deleted when the settings' delay is over. */
export const GroupDeletionMarked = event('group.deletion_marked', ids)

/** A group that was to be deleted stays. */
export const GroupRestored = event('group.restored', ids)

/** A group is gone; those below it and its projects each tell of their own end before. The parent may go next. */
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
