import { z } from 'zod'

import { entity, time, type Presentation } from '../../../../http/entity.ts'
import { ProjectIdentity } from '../../../projects/entity.ts'
import type { Project } from '../../../projects/index.ts'
import type { FailureRow } from '../failures.ts'
import type { Run } from '../../runs/store.ts'

/** An import with what the window shows of it. */
export interface ProgressView {
  readonly project: Project
  readonly run: Run | undefined
  readonly failures: number
  readonly maintains: boolean
  readonly can_retry: boolean
}

const UNDER_WAY = ['scheduled', 'started']

/** How far the import of a project is, as the window shows it. */
export const ImportProgress = entity(
  'ImportProgress',
  {
    project: ProjectIdentity.schema,
    import_type: z.string().nullable(),
    import_source: z.string().nullable(),
    provider_link: z.string().nullable(),
    status: z.string(),
    step: z.string().nullable(),
    done: z.int(),
    total: z.int(),
    waiting_until: time().nullable(),
    started_at: time(),
    finished_at: time().nullable(),
    import_error: z.string().nullable(),
    failures_count: z.int(),
    can_cancel: z.boolean(),
    can_retry: z.boolean(),
  },
  ({ project, run, failures, maintains, can_retry }: ProgressView, at: Presentation) => ({
    project: ProjectIdentity.present(project, at),
    import_type: project.import_type,
    import_source: run?.import_source ?? project.import_url,
    provider_link: run?.provider_link ?? null,
    status: project.import_status,
    step: run?.step ?? null,
    done: run?.done ?? 0,
    total: run?.total ?? 0,
    waiting_until: run?.waiting_until ?? null,
    started_at: run?.created_at ?? project.created_at,
    finished_at: run?.finished_at ?? null,
    import_error: maintains ? project.import_error : null,
    failures_count: failures,
    can_cancel: maintains && UNDER_WAY.includes(project.import_status),
    can_retry: maintains && can_retry,
  }),
)

/** A record that was left out. */
export const ImportFailure = entity(
  'ImportFailure',
  {
    id: z.int(),
    created_at: time(),
    exception_class: z.string(),
    exception_message: z.string(),
    source: z.string(),
    relation_name: z.string().nullable(),
    line_number: z.int().nullable(),
  },
  (row: FailureRow) => row,
)
