import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

const usage = z.strictObject({ count: z.int(), bytes: z.int() })

/** A storage with the numbers and sizes of its repositories. */
export interface StorageView {
  readonly name: string
  readonly folder: string
  readonly origin: 'built_in' | 'started' | 'added'
  readonly weight: number
  readonly projects: { count: number; bytes: number }
  readonly snippets: { count: number; bytes: number }
  readonly group_wikis: { count: number; bytes: number }
  /** Null if the folder cannot be read, as is `total_bytes`. */
  readonly free_bytes: number | null
  readonly total_bytes: number | null
}

/** A storage, as the window shows it to administrators. */
export const RepositoryStorage = entity(
  'RepositoryStorage',
  {
    name: z.string(),
    folder: z.string(),
    origin: z.enum(['built_in', 'started', 'added']),
    weight: z.int(),
    projects: usage,
    snippets: usage,
    group_wikis: usage,
    free_bytes: z.int().nullable(),
    total_bytes: z.int().nullable(),
  },
  (view: StorageView) => view,
)
