import { z } from 'zod'

import { event } from '../../events/event.ts'

const place = {
  /** Exactly one of the two: what it is about. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
}

const membership = {
  ...place,
  user_id: z.number(),
  access_level: z.number(),
  expires_at: z.string().nullable(),
  actor_id: z.number().nullable(),
}

/** Somebody became a direct member of a project or group. */
export const MemberAdded = event('member.added', membership)

/** The level or the end of a direct membership changed. */
export const MemberUpdated = event('member.updated', { ...membership, old_access_level: z.number() })

/** A direct membership ended: by somebody's hand, by the member's own, or because its day came. */
export const MemberRemoved = event('member.removed', {
  ...membership,
  created_at: z.string(),
  /** A user who is gone with it, and cannot be looked up any more: the bot of a token. */
  user: z.object({ name: z.string(), username: z.string() }).optional(),
  cause: z.enum(['removed', 'left', 'expired']),
  /** What is assigned to the user here is to be taken from them. */
  unassign_issuables: z.boolean(),
})

/** The day of an invited group came: its members belong to this group no longer. */
export const ShareExpired = event('share.expired', { group_id: z.number(), invited_group_id: z.number() })

const invitation = { ...place, invitation_id: z.number(), actor_id: z.number().nullable() }

/** Somebody without an account, or whose address is not confirmed, was invited. */
export const MemberInvited = event('member.invited', invitation)

/** An invitation was withdrawn. */
export const InvitationWithdrawn = event('member.invitation_withdrawn', invitation)

const request = { ...place, user_id: z.number(), actor_id: z.number().nullable() }

/** Somebody asks to become a member. */
export const AccessRequested = event('member.access_requested', request)

/** A request was turned down, or taken back by who made it. */
export const AccessRequestDenied = event('member.access_denied', request)
