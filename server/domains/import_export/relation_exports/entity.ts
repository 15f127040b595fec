import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { RelationExport } from './store.ts'

/** How the file of a relation is getting on (spec administration 6.7; from `batched` on as later versions have it). */
export const RelationExportStatus = entity(
  'RelationExportStatus',
  {
    relation: z.string(),
    status: z.int(),
    error: z.string().nullable(),
    updated_at: time(),
    batched: z.boolean(),
    batches_count: z.int(),
    total_objects_count: z.int(),
    batches: z.array(
      z.strictObject({
        status: z.int(),
        batch_number: z.int(),
        objects_count: z.int(),
        error: z.string().nullable(),
        updated_at: time(),
      }),
    ),
  },
  (row: RelationExport & { readonly batch_size: number }) => ({
    relation: row.relation,
    status: row.status,
    error: row.error,
    updated_at: row.updated_at,
    batched: row.batched,
    batches_count: row.batches_count,
    total_objects_count: row.total_objects_count,
    batches: Array.from({ length: row.batched ? row.batches_count : 0 }, (_, index) => ({
      status: row.status,
      batch_number: index + 1,
      objects_count: Math.min(row.batch_size, row.total_objects_count - index * row.batch_size),
      error: row.error,
      updated_at: row.updated_at,
    })),
  }),
)
