import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity } from '../../../http/entity.ts'
import { ok, raw } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'

/** Version and features of the instance (spec core 8.11). */
export const Metadata = entity(
  'Metadata',
  {
    version: z.string(),
    revision: z.string(),
    kas: z.strictObject({
      enabled: z.boolean(),
      externalUrl: z.string().nullable(),
      version: z.string().nullable(),
    }),
    enterprise: z.boolean(),
  },
  (row: { version: string; revision: string }) => ({
    version: row.version,
    revision: row.revision,
    kas: { enabled: false, externalUrl: null, version: null },
    enterprise: true,
  }),
)

export const getVersion = endpoint('GET /version', {
  summary: 'Get the version of the instance',
  can: 'signed_in',
  token: ['read_user'],
  returns: ok(Metadata),
  run: ({ config }) => config,
})

export const getMetadata = endpoint('GET /metadata', {
  summary: 'Get metadata of the instance',
  can: 'signed_in',
  token: ['read_user'],
  returns: ok(Metadata),
  run: ({ config }) => config,
})

export const securityText = endpoint('GET /.well-known/security.txt', {
  summary: 'Get the security contact of the instance',
  can: 'anyone',
  allowsRestrictedSession: true,
  returns: raw,
  run: (ctx) => {
    const text = settingsOf(ctx).security_txt_content?.trim()
    if (!text) throw notFound()
    return { type: 'text/plain; charset=utf-8', body: `${text}\n` }
  },
})
