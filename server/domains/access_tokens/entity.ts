import { z } from 'zod'

import { entity } from '../../http/entity.ts'
import { PersonalAccessToken } from '../auth/entity.ts'
import type { NewAccessToken } from './service.ts'
import type { AccessTokenRow } from './store.ts'

const fields = { ...PersonalAccessToken.fields, access_level: z.int().nullable() }

/** A token of a project or group: a personal token of its bot, and the bot's role (spec core 7.4). */
export const AccessToken = entity('AccessToken', fields, (row: AccessTokenRow, at) => ({
  ...PersonalAccessToken.present(row, at),
  access_level: row.access_level,
}))

/** The response to creating a token, the only one with its text. */
export const AccessTokenWithToken = entity(
  'AccessTokenWithToken',
  { ...fields, token: z.string() },
  ({ row, token }: NewAccessToken, at) => ({ ...AccessToken.present(row, at), token }),
)
