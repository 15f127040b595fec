import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'

/** What a runner gets when it registers, and whenever its token becomes another one. Tokens do not expire. */
export const RunnerCredentials = entity(
  'RunnerCredentials',
  { id: z.int(), token: z.string(), token_expires_at: time().nullable() },
  ({ id, token }: { readonly id: number; readonly token: string }) => ({ id, token, token_expires_at: null }),
)

/** A token that took the place of another. */
export const ResetToken = entity(
  'RunnerResetToken',
  { token: z.string(), token_expires_at: time().nullable() },
  ({ token }: { readonly token: string }) => ({ token, token_expires_at: null }),
)
