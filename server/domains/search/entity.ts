import { z } from 'zod'

import { entity } from '../../http/entity.ts'

/** A place in code that was found. */
export interface BlobRow {
  readonly path: string
  /** The lines around it. */
  readonly data: string
  readonly ref: string
  /** Number of the first line of `data`, from 1. */
  readonly startline: number
  readonly project_id: number
}

/** A place in code (spec administration 13). */
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
  (row: BlobRow) => ({
    // The path without its ending, as clients know it.
    basename: row.path.replace(/(?<=[^/])\.[^./]*$/, ''),
    data: row.data,
    path: row.path,
    filename: row.path,
    id: null,
    ref: row.ref,
    startline: row.startline,
    project_id: row.project_id,
  }),
)
