import { z } from 'zod'

import { event } from '../../events/event.ts'
import { columnChangesShape } from '../../lib/column-changes.ts'

const ids = { user_id: z.number(), actor_id: z.number().nullable() }

/** A user was created. */
export const UserCreated = event('user.created', ids)

/** Columns of a user changed. `changed` names them. */
export const UserUpdated = event('user.updated', {
  ...ids,
  changed: z.array(z.string()),
  /** Old and new values of the audited columns. */
  changes: columnChangesShape.optional(),
  /** The previous user name, if it changed. */
  old_username: z.string().optional(),
})

/** The state of a user changed: the user was blocked, unblocked, deactivated and so on. */
export const UserStateChanged = event('user.state_changed', { ...ids, from: z.string(), to: z.string() })

/** A user was deleted. Their contributions moved to the ghost user, or were deleted with them. */
export const UserDeleted = event('user.deleted', {
  ...ids,
  username: z.string(),
  name: z.string(),
  email: z.string(),
  public_email: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})

/** A secondary email address was added. It may not be confirmed yet. */
export const EmailAdded = event('user.email_added', { ...ids, email_id: z.number() })

/** A secondary email address was deleted. */
export const EmailRemoved = event('user.email_removed', { ...ids, email_id: z.number() })

/** A user requested a new primary email address, which must be confirmed (`users.unconfirmed_email`). */
export const EmailChangeRequested = event('user.email_change_requested', ids)

/** A user changed their status. */
export const StatusChanged = event('user.status_changed', ids)

/** The actor followed the user. */
export const UserFollowed = event('user.followed', ids)

/** The actor unfollowed the user. */
export const UserUnfollowed = event('user.unfollowed', ids)
const payload = {
  user_id: z.number().optional(),
  group_id: z.number().optional(),
  project_id: z.number().optional(),
  key: z.string(),
  actor_id: z.number().nullable(),
}

/** A custom attribute was created or changed. The owner is one of the user, the group and the project. */
export const CustomAttributeSet = event('custom_attribute.set', payload)

/** A custom attribute was deleted. */
export const CustomAttributeRemoved = event('custom_attribute.removed', payload)
const key = { key_id: z.number(), user_id: z.number(), actor_id: z.number().nullable() }

/** An SSH key was added to a user. */
export const SshKeyAdded = event('ssh_key.added', key)

/** An SSH key of a user was deleted. `key` is the public key, because it is no longer in the database. */
export const SshKeyRemoved = event('ssh_key.removed', {
  ...key,
  key: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})

/** A GPG key was added to a user. */
export const GpgKeyAdded = event('gpg_key.added', key)

/** A GPG key of a user was deleted. Its signatures are unverified again. */
export const GpgKeyRemoved = event('gpg_key.removed', key)

/** A GPG key of a user was revoked. Its signatures are invalid, and it cannot be added again. */
export const GpgKeyRevoked = event('gpg_key.revoked', key)
