import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An export of a project was asked for, went on or ended. */
export const ProjectExportChanged = event('export.changed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  export_id: z.number(),
  state: z.string(),
})
