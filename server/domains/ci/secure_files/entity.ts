import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { SecureFileRow } from './store.ts'

/** A file that jobs need, without its content (spec rest-api "Secure file"). */
export const SecureFile = entity(
  'SecureFile',
  {
    id: z.int(),
    name: z.string(),
    checksum: z.string(),
    checksum_algorithm: z.literal('sha256'),
    created_at: time(),
    expires_at: time().nullable(),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    file_extension: z.string().nullable(),
  },
  (row: SecureFileRow) => ({
    id: row.id,
    name: row.name,
    checksum: row.checksum,
    checksum_algorithm: 'sha256' as const,
    created_at: row.created_at,
    expires_at: row.expires_at,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Record<string, unknown>),
    file_extension: extensionOf(row.name) ?? null,
  }),
)

/** The end of a file's name behind its last dot; undefined without one. Capitals make another one (spec ci 6). */
export function extensionOf(name: string): string | undefined {
  return /[^/]\.([^./]+)$/.exec(name)?.[1]
}
