import { z } from 'zod'

import { date, entity, time } from '../../http/entity.ts'
import { UserBasic } from '../users/entity.ts'
import type { MemberView } from './list.ts'

/** A member, and whether the answer says who takes a seat. */
export interface MemberShown extends MemberView {
  readonly seat?: boolean | undefined
}

/** A member: the user with the level they have (spec core 1.4). */
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
    is_using_seat: z.boolean().optional(),
  },
  (member: MemberShown, at) => ({
    ...UserBasic.present(member, at),
    access_level: member.access_level,
    created_at: member.created_at,
    created_by: member.created_by ? UserBasic.present(member.created_by, at) : null,
    expires_at: member.expires_at,
    // Nobody waits for a free seat here.
    membership_state: 'active' as const,
    ...(member.override ? { override: true } : {}),
    ...(member.seat ? { is_using_seat: member.user_kind === 'human' && member.state === 'active' } : {}),
  }),
)

/** The outcome of adding several members at once: what went wrong, by user name or address. */
export const MembersAdded = entity(
  'MembersAdded',
  { status: z.enum(['success', 'error']), message: z.record(z.string(), z.string()).optional() },
  (problems: Readonly<Record<string, string>>) =>
    Object.keys(problems).length === 0
      ? { status: 'success' as const }
      : { status: 'error' as const, message: { ...problems } },
)
