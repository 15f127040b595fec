import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { UserBasicRow } from '../../users/index.ts'
import type { StatusRow } from './store.ts'

/** A commit status with its author and the full path of its project. */
export interface StatusView extends StatusRow {
  readonly author: UserBasicRow | null
  readonly path: string
}

/** The status of a commit, from another system or from a CI job (spec core 4.6). */
export const CommitStatus = entity(
  'CommitStatus',
  {
    id: z.int(),
    sha: z.string(),
    ref: z.string().nullable(),
    status: z.string(),
    name: z.string(),
    target_url: z.string().nullable(),
    description: z.string().nullable(),
    created_at: time(),
    started_at: time().nullable(),
    finished_at: time().nullable(),
    allow_failure: z.boolean(),
    coverage: z.number().nullable(),
    author: UserBasic.schema.nullable(),
  },
  row<StatusView>(),
  (row, at) => ({
    // The target URL of a job is its page.
    target_url: row.kind === 'job' ? `${at.url}/${row.path}/-/jobs/${row.id}` : row.target_url,
    author: row.author && UserBasic.present(row.author, at),
  }),
)
