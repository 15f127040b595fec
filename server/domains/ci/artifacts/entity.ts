import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { ListedEntry } from './archive.ts'

/** A folder or file in the archive of a job. */
export const ArchiveEntry = entity(
  'ArchiveEntry',
  {
    name: z.string(),
    path: z.string(),
    type: z.enum(['tree', 'blob']),
    size: z.int(),
  },
  ({ name, path, type, size }: ListedEntry) => ({ name, path, type, size }),
)
