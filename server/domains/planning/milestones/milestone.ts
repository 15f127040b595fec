import type { Selectable } from 'kysely'

import type { MilestonesTable } from '../../../db/schema.gen.ts'

/** A milestone as stored, with what its address needs. */
export interface MilestoneRow extends Selectable<MilestonesTable> {
  /** Full path of its project or group. */
  readonly owner_path: string
}
