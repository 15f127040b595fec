import type { Selectable } from 'kysely'

import type { MilestonesTable } from '../../../db/schema.gen.ts'

/** A milestone as stored, with the path of its owner for its URL. */
export interface MilestoneRow extends Selectable<MilestonesTable> {
  /** Full path of its project or group. */
  readonly owner_path: string
}
