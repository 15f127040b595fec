import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { NewDeployToken } from './types.ts'
import type { DeployTokenRow } from './store.ts'

const tokenFields = {
  id: z.int(),
  name: z.string(),
  username: z.string(),
  expires_at: time().nullable(),
  scopes: z.array(z.string()),
  revoked: z.boolean(),
  expired: z.boolean(),
}

function tokenOf(row: DeployTokenRow, now: string) {
  return {
    id: row.id,
    name: row.name,
    username: row.username,
    expires_at: row.expires_at,
    scopes: row.scopes,
    revoked: row.revoked,
    expired: row.expires_at !== null && row.expires_at <= now,
  }
}

/** A deploy token (spec administration 13). */
export const DeployToken = entity('DeployToken', tokenFields, (row: DeployTokenRow, at) =>
  tokenOf(row, at.now),
)

/** The response to creating a token, the only one with its text. */
export const DeployTokenWithToken = entity(
  'DeployTokenWithToken',
  { ...tokenFields, token: z.string() },
  ({ row, token }: NewDeployToken, at) => ({ ...tokenOf(row, at.now), token }),
)
