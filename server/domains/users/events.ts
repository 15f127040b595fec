import { z } from 'zod'

import { event } from '../../events/event.ts'
import { columnChangesShape } from '../../lib/column-changes.ts'

const ids = { user_id: z.number(), actor_id: z.number().nullable() }

/** A user exists, however it came to be. */
export const UserCreated = event('user.created', ids)

/** Something about a user changed; `changed` names the columns. */
export const UserUpdated = event('user.updated', {
  ...ids,
  changed: z.array(z.string()),
  /** Former and new value of what matters about an account. */
  changes: columnChangesShape.optional(),
  /** User name before, when that changed. */
  old_username: z.string().optional(),
})

/** A user was blocked, let in again, put to sleep and the like. */
export const UserStateChanged = event('user.state_changed', { ...ids, from: z.string(), to: z.string() })

/** A user is gone; what outlives them belongs to the ghost unless that was deleted too. */
export const UserDeleted = event('user.deleted', {
  ...ids,
  username: z.string(),
  name: z.string(),
  email: z.string(),
  public_email: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})

/** A secondary address was added; it counts once it is confirmed. */
export const EmailAdded = event('user.email_added', { ...ids, email_id: z.number() })

/** A secondary address is gone. */
export const EmailRemoved = event('user.email_removed', { ...ids, email_id: z.number() })

/** The primary address is to become another one, once that is confirmed (`users.unconfirmed_email`). */
export const EmailChangeRequested = event('user.email_change_requested', ids)

/** A user said something else about themselves. */
export const StatusChanged = event('user.status_changed', ids)

/** The actor follows the user. */
export const UserFollowed = event('user.followed', ids)

/** The actor follows the user no longer. */
export const UserUnfollowed = event('user.unfollowed', ids)
const payload = {
  user_id: z.number().optional(),
  group_id: z.number().optional(),
  project_id: z.number().optional(),
  key: z.string(),
  actor_id: z.number().nullable(),
}

/** A custom attribute was made or got another value; one of the owners is named. */
export const CustomAttributeSet = event('custom_attribute.set', payload)

/** A custom attribute is gone. */
export const CustomAttributeRemoved = event('custom_attribute.removed', payload)
const key = { key_id: z.number(), user_id: z.number(), actor_id: z.number().nullable() }

/** A user has a further SSH key. */
export const SshKeyAdded = event('ssh_key.added', key)

/** An SSH key of a user is gone. `key` is its line, which nobody can look up any more. */
export const SshKeyRemoved = event('ssh_key.removed', {
  ...key,
  key: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
})

/** A user has a further GPG key. */
export const GpgKeyAdded = event('gpg_key.added', key)

/** A GPG key of a user is gone; what it signed is no longer known to be theirs. */
export const GpgKeyRemoved = event('gpg_key.removed', key)

/** A GPG key of a user was called back: it stays known, and nothing it signed counts. */
export const GpgKeyRevoked = event('gpg_key.revoked', key)
