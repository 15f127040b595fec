import { z } from 'zod'

import { entity, time } from '../../../../http/entity.ts'
import type { Export } from '../../exports/store.ts'

/** The progress of the export of a group, and the archive that can be downloaded. */
export const GroupExportProgress = entity(
  'GroupExportProgress',
  {
    status: z.enum(['none', 'queued', 'started', 'finished', 'failed', 'canceled']),
    step: z.string().nullable(),
    done: z.int(),
    total: z.int(),
    error: z.string().nullable(),
    created_at: time().nullable(),
    /** The available archive. */
    size: z.int().nullable(),
    file_name: z.string().nullable(),
    finished_at: time().nullable(),
    expires_at: time().nullable(),
  },
  ({ newest, ready }: { newest: Export | undefined; ready: Export | undefined }) => ({
    status: (newest?.state ?? 'none') as 'none',
    step: newest?.step ?? null,
    done: newest?.done ?? 0,
    total: newest?.total ?? 0,
    error: newest?.error ?? null,
    created_at: newest?.created_at ?? null,
    size: ready?.size ?? null,
    file_name: ready?.file_name ?? null,
    finished_at: ready?.finished_at ?? null,
    expires_at: ready?.expires_at ?? null,
  }),
)
