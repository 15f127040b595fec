import { z } from 'zod'

import { event } from '../../events/event.ts'

const owner = {
  /** The owner: either a project or a group. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
}

const membership = {
  ...owner,
  user_id: z.number(),
  access_level: z.number(),
  expires_at: z.string().nullable(),
  actor_id: z.number().nullable(),
}

/** A user became a direct member of a project or group. */
export const MemberAdded = event('member.added', membership)

/** The access level or expiry of a direct membership changed. */
export const MemberUpdated = event('member.updated', { ...membership, old_access_level: z.number() })

/** A direct membership ended: a user removed the member, the member left, or the membership expired. */
export const MemberRemoved = event('member.removed', {
  ...membership,
  created_at: z.string(),
  /** The user, if it was deleted with the membership (the bot of a token). */
  user: z.object({ name: z.string(), username: z.string() }).optional(),
  cause: z.enum(['removed', 'left', 'expired']),
  /** Whether the user is unassigned from all issues and merge requests of the owner. */
  unassign_issuables: z.boolean(),
})

/** The share of a group expired: the members of the invited group lost their access. */
export const ShareExpired = event('share.expired', { group_id: z.number(), invited_group_id: z.number() })

const invitation = { ...owner, invitation_id: z.number(), actor_id: z.number().nullable() }

/** An email address that no active user has confirmed was invited. */
export const MemberInvited = event('member.invited', invitation)

/** An invitation was withdrawn. */
export const InvitationWithdrawn = event('member.invitation_withdrawn', invitation)

const request = { ...owner, user_id: z.number(), actor_id: z.number().nullable() }

/** A user requested access. */
export const AccessRequested = event('member.access_requested', request)

/** A request was denied, or withdrawn by its user. */
export const AccessRequestDenied = event('member.access_denied', request)
