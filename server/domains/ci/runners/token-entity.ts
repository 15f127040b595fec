import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'

/** A token with its end, as those who make one know it. */
export interface ToldToken {
  readonly token: string
  /** ISO time; null or absent for a token that does not end. */
  readonly token_expires_at?: string | null
}

/** What a runner gets when it registers; one with a token that ends asks for another one in time. */
export const RunnerCredentials = entity(
  'RunnerCredentials',
  { id: z.int(), token: z.string(), token_expires_at: time().nullable() },
  ({ id, token, token_expires_at = null }: ToldToken & { readonly id: number }) => ({
    id,
    token,
    token_expires_at,
  }),
)

/** A token that took the place of another. */
export const ResetToken = entity(
  'RunnerResetToken',
  { token: z.string(), token_expires_at: time().nullable() },
  ({ token, token_expires_at = null }: ToldToken) => ({ token, token_expires_at }),
)
