import { z } from 'zod'

import { entity, time, type Presentation } from '../../../http/entity.ts'
import { ProjectIdentity } from '../../projects/entity.ts'
import type { Project } from '../../projects/index.ts'
import type { FailureRow } from './failures.ts'
import type { Run } from '../runs/store.ts'
import { statsOf } from './stats.ts'

/** What who may not read the reason of a failure is told. */
const HINT = 'Ask a maintainer to check the import status for more details.'

/** A project with how its import goes. */
export interface ImportView {
  readonly project: Project
  readonly run: Run | undefined
  /** The first hundred. */
  readonly failures: readonly FailureRow[]
  /** Who asks may read why it failed. */
  readonly maintains: boolean
}

const failure = z.strictObject({
  id: z.int(),
  created_at: time(),
  exception_class: z.string(),
  exception_message: z.string(),
  source: z.string(),
  relation_name: z.string().nullable(),
  line_number: z.int().nullable(),
})

const counts = z.record(z.string(), z.int())

/** The status of an import (spec administration 6.6), which also is the answer to whoever begins one from an archive. */
export const ImportStatus = entity(
  'ImportStatus',
  {
    ...ProjectIdentity.fields,
    import_status: z.string(),
    import_type: z.string().nullable(),
    correlation_id: z.string().nullable(),
    failed_relations: z.array(failure).readonly(),
    import_error: z.string().nullable(),
    stats: z.strictObject({ fetched: counts, imported: counts }).nullable(),
  },
  ({ project, run, failures, maintains }: ImportView, at: Presentation) => ({
    ...ProjectIdentity.present(project, at),
    import_status: project.import_status,
    import_type: project.import_type,
    correlation_id: run?.correlation_id ?? null,
    failed_relations: failures,
    import_error: project.import_error === null || maintains ? project.import_error : HINT,
    stats: statsOf(run?.stats ?? null),
  }),
)

/** The same under the name that importers of archives know it by. */
export { ImportStatus as ImportSummary }
