import { z } from 'zod'

import { event } from '../../../events/event.ts'

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
