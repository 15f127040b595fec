import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

const held = z.strictObject({ count: z.int(), bytes: z.int() })

/** A storage with the numbers of its repositories. */
export interface StorageView {
  readonly name: string
  readonly folder: string
  readonly origin: 'built_in' | 'started' | 'added'
  readonly weight: number
  readonly projects: { count: number; bytes: number }
  readonly snippets: { count: number; bytes: number }
  readonly group_wikis: { count: number; bytes: number }
  /** Null for an unreadable folder. */
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
    projects: held,
    snippets: held,
    group_wikis: held,
    free_bytes: z.int().nullable(),
    total_bytes: z.int().nullable(),
  },
  (view: StorageView) => view,
)
