import { z } from 'zod'

import { entity, row } from '../../http/entity.ts'

/** A match in code: the matching lines of a file. */
export interface BlobRow {
  readonly path: string
  /** The matching lines with some lines around them. */
  readonly data: string
  readonly ref: string
  /** Number of the first line of `data`, counted from 1. */
  readonly startline: number
  readonly project_id: number
}

/** A match in code (spec administration 13). */
export const BlobHit = entity(
  'BlobHit',
  {
    basename: z.string(),
    data: z.string(),
    path: z.string(),
    filename: z.string(),
    id: z.null(),
    ref: z.string(),
    startline: z.int(),
    project_id: z.int(),
  },
  row<BlobRow>(),
  (row) => ({
    // The path without its extension, as in the reference.
    basename: row.path.replace(/(?<=[^/])\.[^./]*$/, ''),
    filename: row.path,
    id: null,
  }),
)
