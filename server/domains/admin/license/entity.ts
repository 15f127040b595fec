import { z } from 'zod'

import { date, entity, time } from '../../../http/entity.ts'

/** The data that the licence is made of. */
export interface Licensed {
  /** When the instance was created. */
  readonly since: string
  readonly active_users: number
}

/** The only licence of an instance: for all users, with all features, without expiration (spec administration 13). */
export const License = entity(
  'License',
  {
    id: z.int(),
    plan: z.string(),
    created_at: time(),
    starts_at: date(),
    expires_at: date().nullable(),
    historical_max: z.int(),
    maximum_user_count: z.int(),
    licensee: z.strictObject({ Name: z.string(), Company: z.string(), Email: z.string() }),
    add_ons: z.strictObject({}),
    expired: z.boolean(),
    overage: z.int(),
    user_limit: z.int(),
    active_users: z.int(),
  },
  ({ since, active_users }: Licensed) => ({
    id: 1,
    plan: 'ultimate',
    created_at: since,
    starts_at: since.slice(0, 10),
    expires_at: null,
    historical_max: active_users,
    maximum_user_count: active_users,
    licensee: { Name: 'Everybody', Company: 'Deskforge', Email: 'everybody@localhost' },
    add_ons: {},
    expired: false,
    overage: 0,
    user_limit: 0,
    active_users,
  }),
)

/** The answer to a recount of billable users. */
export const BillableUsers = entity('BillableUsers', { success: z.boolean() }, () => ({ success: true }))
