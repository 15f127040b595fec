import { z } from 'zod'

import { date, entity, time, row } from '../../http/entity.ts'
import { UserBasic } from '../users/entity.ts'
import type { ShownMember } from './store-list.ts'
import type { BillableRow } from './store-billable.ts'
import type { RequestRow } from './store.ts'
import type { InvitationRow } from './store-invitations.ts'

/** A member: the user with the access level (spec core 1.4). */
export const Member = entity(
  'Member',
  {
    ...UserBasic.fields,
    access_level: z.int(),
    created_at: time(),
    created_by: UserBasic.schema.nullable(),
    expires_at: date().nullable(),
    membership_state: z.enum(['active', 'awaiting']),
    override: z.boolean().optional(),
    email: z.string().optional(),
    is_using_seat: z.boolean().optional(),
  },
  (member: ShownMember, at) => ({
    ...UserBasic.present(member, at),
    access_level: member.access_level,
    created_at: member.created_at,
    created_by: member.created_by ? UserBasic.present(member.created_by, at) : null,
    expires_at: member.expires_at,
    // The number of seats is not limited, so every membership is active.
    membership_state: 'active' as const,
    ...(member.override ? { override: true } : {}),
    ...(member.showsEmail ? { email: member.email } : {}),
    ...(member.seat ? { is_using_seat: member.user_kind === 'human' && member.state === 'active' } : {}),
  }),
)

/** The result of adding several members: the errors by user name or email address. */
export const MembersAdded = entity(
  'MembersAdded',
  { status: z.enum(['success', 'error']), message: z.record(z.string(), z.string()).optional() },
  (problems: Readonly<Record<string, string>>) =>
    Object.keys(problems).length === 0
      ? { status: 'success' as const }
      : { status: 'error' as const, message: { ...problems } },
)

const MEMBERSHIP_TYPES = ['group_member', 'project_member', 'group_invite', 'project_invite'] as const

/** A billable member of a group. Only administrators see email addresses that are not public. */
export const BillableMember = entity(
  'BillableMember',
  {
    ...UserBasic.fields,
    email: z.string().nullable(),
    last_activity_on: date().nullable(),
    membership_type: z.enum(MEMBERSHIP_TYPES),
    removable: z.boolean(),
    created_at: time(),
    last_login_at: time().nullable(),
  },
  ({ row, email }: { row: BillableRow; email: boolean }, at) => ({
    ...UserBasic.present(row, at),
    email: email ? row.email : row.public_email || null,
    last_activity_on: row.last_activity_on,
    membership_type: MEMBERSHIP_TYPES[row.type] ?? 'group_member',
    // Members of an invited group are removed with its share.
    removable: row.type < 2,
    created_at: row.created_at,
    last_login_at: row.last_login_at,
  }),
)

/** A user who requests access (spec core 1.4). */
export const AccessRequester = entity(
  'AccessRequester',
  { ...UserBasic.fields, requested_at: time() },
  (row: RequestRow, at) => ({ ...UserBasic.present(row, at), requested_at: row.requested_at }),
)

/** A pending invitation (spec core 1.4). */
export const Invitation = entity(
  'Invitation',
  {
    access_level: z.int(),
    created_at: time(),
    expires_at: date().nullable(),
    invite_email: z.string(),
    invite_token: z.string(),
    user_name: z.string().nullable(),
    created_by_name: z.string().nullable(),
  },
  row<InvitationRow>(),
  (row) => ({
    invite_email: row.email,
    invite_token: row.token,
    // An accepted invitation is deleted, so an invitation never has a user.
    user_name: null,
  }),
)
