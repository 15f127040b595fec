import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { Manifest } from './manifest.ts'

/** A snapshot of the instance. */
export const WorkbenchSnapshot = entity(
  'WorkbenchSnapshot',
  {
    name: z.string(),
    created_at: time(),
    version: z.string().describe('Version of the instance that saved it'),
    database_bytes: z.int(),
    repositories: z.int(),
    files: z.int().describe('Uploads, artifacts and other files'),
  },
  ({ name, created_at, version, database_bytes, repositories, files }: Manifest) => ({
    name,
    created_at,
    version,
    database_bytes,
    repositories,
    files,
  }),
)
