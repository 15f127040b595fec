import type { Selectable } from 'kysely'

import type { MergeRequestsTable } from '../../db/schema.gen.ts'

/** A merge request as stored. `project_id` is the project that is merged into. */
export type MergeRequestRow = Selectable<MergeRequestsTable>
