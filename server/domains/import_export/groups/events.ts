import { z } from 'zod'

import { event } from '../../../events/event.ts'

const ids = { group_id: z.number(), actor_id: z.number().nullable() }

/** An export of a group was asked for, went on or ended. */
export const GroupExportChanged = event('export.group_changed', {
  ...ids,
  export_id: z.number(),
  state: z.string(),
})

/** The import of a group from an archive went on or ended. */
export const GroupImportChanged = event('import.group_changed', { ...ids, state: z.string() })

/** Taking over from another instance went on or ended. */
export const BulkImportChanged = event('import.bulk_changed', {
  bulk_import_id: z.number(),
  actor_id: z.number().nullable(),
  status: z.number(),
})
