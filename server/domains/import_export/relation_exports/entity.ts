import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import type { RelationExport } from './store.ts'

/** The status of the export of a relation (spec administration 6.7; from `batched` on as in later versions). */
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
  row<RelationExport & { readonly batch_size: number }>(),
  (row) => ({
    batches: Array.from({ length: row.batched ? row.batches_count : 0 }, (_, index) => ({
      status: row.status,
      batch_number: index + 1,
      objects_count: Math.min(row.batch_size, row.total_objects_count - index * row.batch_size),
      error: row.error,
      updated_at: row.updated_at,
    })),
  }),
)
