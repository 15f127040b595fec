import { z } from 'zod'

import { entity, time } from '../../../../http/entity.ts'
import type { MoveRow } from '../store.ts'

/** A move with what its line in the window names. */
export interface MoveLineView {
  readonly move: MoveRow
  readonly title: string
  /** Where the window shows what is moved, below the address of the instance. */
  readonly path: string
}

/** The move of a repository of any kind, as the window shows it. */
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
  ({ move, title, path }: MoveLineView) => ({
    id: move.id,
    kind: move.kind,
    title,
    path,
    state: move.state,
    source_storage_name: move.source_storage_name,
    destination_storage_name: move.destination_storage_name,
    bytes_done: move.bytes_done,
    bytes_total: move.bytes_total,
    error_message: move.error_message,
    created_at: move.created_at,
    updated_at: move.updated_at,
  }),
)
