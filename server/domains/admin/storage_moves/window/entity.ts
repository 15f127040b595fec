import { z } from 'zod'

import { entity, time, row } from '../../../../http/entity.ts'
import type { MoveRow } from '../store.ts'

/** A move with the names that the window shows. */
export interface MoveLineView {
  readonly move: MoveRow
  readonly title: string
  /** Path of the page of the moved container in the window. */
  readonly path: string
}

/** A move of any kind, as the window shows it. */
export const StorageMoveLine = entity(
  'StorageMoveLine',
  {
    id: z.int(),
    kind: z.enum(['project', 'snippet', 'group']),
    title: z.string(),
    path: z.string(),
    state: z.string(),
    source_storage_name: z.string(),
    destination_storage_name: z.string(),
    bytes_done: z.int(),
    bytes_total: z.int().nullable(),
    error_message: z.string().nullable(),
    created_at: time(),
    updated_at: time(),
  },
  row((view: MoveLineView) => view.move),
  ({ title, path }) => ({
    title,
    path,
  }),
)
