import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { ScimTokenRow } from './store.ts'

/** The SCIM configuration of a scope. A scope without a row has none. */
export interface ScimSetup {
  readonly address: string
  readonly row: ScimTokenRow | undefined
  /** The text of the token, right after its creation. */
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
