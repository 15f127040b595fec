import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import type { SecureFileRow } from './store.ts'

/** A secure file without its content (spec rest-api "Secure file"). */
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
  row<SecureFileRow>(),
  (row) => ({
    checksum_algorithm: 'sha256' as const,
    file_extension: extensionOf(row.name) ?? null,
  }),
)

/** The file extension as it is written (spec ci 6). Undefined if there is none. */
export function extensionOf(name: string): string | undefined {
  return /[^/]\.([^./]+)$/.exec(name)?.[1]
}
