import { z } from 'zod'

import { entity, time } from '../../../../http/entity.ts'
import type { Group } from '../../../groups/index.ts'
import type { GroupImport } from './store.ts'

interface Failure {
  readonly id: number
  readonly created_at: string
  readonly exception_class: string
  readonly exception_message: string
  readonly source: string
  readonly relation_name: string | null
  readonly line_number: number | null
}

/** How a group that comes from an archive is being filled. The API of the contract has no such answer. */
export const GroupImportProgress = entity(
  'GroupImportProgress',
  {
    group_id: z.int(),
    full_path: z.string(),
    full_name: z.string(),
    /** `none` for a group that comes from no archive. */
    status: z.enum(['none', 'created', 'started', 'finished', 'failed']),
    step: z.string().nullable(),
    done: z.int(),
    total: z.int(),
    error: z.string().nullable(),
    created_at: time().nullable(),
    updated_at: time().nullable(),
    failures_count: z.int(),
    failures: z.array(
      z.strictObject({
        id: z.int(),
        created_at: time(),
        exception_class: z.string(),
        exception_message: z.string(),
        source: z.string(),
        relation_name: z.string().nullable(),
        line_number: z.int().nullable(),
      }),
    ),
  },
  (view: {
    row: GroupImport | undefined
    group: Pick<Group, 'id' | 'full_path' | 'full_name'>
    failures: readonly Failure[]
    failuresCount: number
  }) => ({
    group_id: view.group.id,
    full_path: view.group.full_path,
    full_name: view.group.full_name,
    status: (view.row?.state ?? 'none') as 'none',
    step: view.row?.step ?? null,
    done: view.row?.done ?? 0,
    total: view.row?.total ?? 0,
    error: view.row?.error ?? null,
    created_at: view.row?.created_at ?? null,
    updated_at: view.row?.updated_at ?? null,
    failures_count: view.failuresCount,
    failures: view.failures.map((one) => ({ ...one })),
  }),
)
