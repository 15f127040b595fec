import { z } from 'zod'

import { entity, time, type Presentation } from '../../../http/entity.ts'
import { ProjectIdentity } from '../../projects/entity.ts'
import type { Project } from '../../projects/index.ts'
import type { FailureRow, Run } from './store.ts'

/** The progress of an import, for the window. */
export interface ProgressView {
  readonly project: Project
  readonly run: Run | undefined
  readonly failures: number
  /** Whether the actor is a maintainer of the project. */
  readonly isMaintainer: boolean
  readonly can_retry: boolean
}

const ACTIVE = ['scheduled', 'started']

/** The progress of a project import, for the window. */
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
  ({ project, run, failures, isMaintainer, can_retry }: ProgressView, at: Presentation) => ({
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
    import_error: isMaintainer ? project.import_error : null,
    failures_count: failures,
    can_cancel: isMaintainer && ACTIVE.includes(project.import_status),
    can_retry: isMaintainer && can_retry,
  }),
)

/** A record that was not imported. */
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

/** The text for users who may not read the reason. */
const HIDDEN_REASON = 'Ask a maintainer to check the import status for more details.'

/** A project with its import. */
export interface ImportView {
  readonly project: Project
  readonly run: Run | undefined
  /** The first hundred failures. */
  readonly failures: readonly FailureRow[]
  /** Whether the actor may read the reason of a failure, as a maintainer. */
  readonly isMaintainer: boolean
}

const counts = z.record(z.string(), z.int())

/** Numbers of fetched and imported records, by kind (spec administration 6.6). */
export interface ImportStats {
  readonly fetched: Readonly<Record<string, number>>
  readonly imported: Readonly<Record<string, number>>
}

/** The numbers, sorted by kind; null if the import counts nothing. */
export function statsOf(text: string | null): ImportStats | null {
  if (text === null) return null
  const { fetched, imported } = JSON.parse(text) as ImportStats
  return { fetched: sortedByName(fetched), imported: sortedByName(imported) }
}

function sortedByName(kinds: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(kinds).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The status of an import (spec administration 6.6). Requests that start an import return it, too. */
export const ImportStatus = entity(
  'ImportStatus',
  {
    ...ProjectIdentity.fields,
    import_status: z.string(),
    import_type: z.string().nullable(),
    correlation_id: z.string().nullable(),
    failed_relations: z.array(ImportFailure.schema).readonly(),
    import_error: z.string().nullable(),
    stats: z.strictObject({ fetched: counts, imported: counts }).nullable(),
  },
  ({ project, run, failures, isMaintainer }: ImportView, at: Presentation) => ({
    ...ProjectIdentity.present(project, at),
    import_status: project.import_status,
    import_type: project.import_type,
    correlation_id: run?.correlation_id ?? null,
    failed_relations: failures,
    import_error: project.import_error === null || isMaintainer ? project.import_error : HIDDEN_REASON,
    stats: statsOf(run?.stats ?? null),
  }),
)
