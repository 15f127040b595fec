import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** How far the import of a project is. Told at most once a second; its end is `project.import_ended`. */
export const ProjectImportProgressed = event('import.progressed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  step: z.string().nullable(),
})

/** A failed import is to begin anew; whoever brings in imports of this type does it. */
export const ProjectImportRetried = event('import.retried', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  import_type: z.string(),
})
