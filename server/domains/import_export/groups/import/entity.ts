import { z } from 'zod'

import { entity, time } from '../../../../http/entity.ts'
import type { Group } from '../../../groups/index.ts'
import { ImportFailure } from '../../imports/entity.ts'
import type { FailureRow } from '../../imports/store.ts'
import type { GroupImport } from './store.ts'

/** The progress of the import of a group; the contract has no such answer. */
export const GroupImportProgress = entity(
  'GroupImportProgress',
  {
    group_id: z.int(),
    full_path: z.string(),
    full_name: z.string(),
    /** `none` for a group that was not imported. */
    status: z.enum(['none', 'created', 'started', 'finished', 'failed']),
    step: z.string().nullable(),
    done: z.int(),
    total: z.int(),
    error: z.string().nullable(),
    created_at: time().nullable(),
    updated_at: time().nullable(),
    failures_count: z.int(),
    failures: z.array(ImportFailure.schema),
  },
  (view: {
    row: GroupImport | undefined
    group: Pick<Group, 'id' | 'full_path' | 'full_name'>
    failures: readonly FailureRow[]
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
