import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { ScimTokenRow } from './store.ts'

/** How a place is set up for identity providers; without a row it is not. */
export interface ScimSetup {
  readonly address: string
  readonly row: ScimTokenRow | undefined
  /** The text of the token, when it was just made. */
  readonly token?: string
}

export const ScimConnection = entity(
  'ScimConnection',
  {
    endpoint: z.string(),
    enabled: z.boolean(),
    created_at: time().nullable(),
    last_used_at: time().nullable(),
    token: z.string().optional(),
  },
  ({ address, row, token }: ScimSetup) => ({
    endpoint: address,
    enabled: row !== undefined,
    created_at: row?.created_at ?? null,
    last_used_at: row?.last_used_at ?? null,
    ...(token === undefined ? {} : { token }),
  }),
)
