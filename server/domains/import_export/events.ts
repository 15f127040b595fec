import { z } from 'zod'
import { event } from '../../events/event.ts'

const ids = { group_id: z.number(), actor_id: z.number().nullable() }

/** An export of a group was requested, progressed or ended. */
export const GroupExportChanged = event('export.group_changed', {
  ...ids,
  export_id: z.number(),
  state: z.string(),
})

/** The import of a group from an archive progressed or ended. */
export const GroupImportChanged = event('import.group_changed', { ...ids, state: z.string() })

/** A migration from another instance progressed or ended. */
export const BulkImportChanged = event('import.bulk_changed', {
  bulk_import_id: z.number(),
  actor_id: z.number().nullable(),
  status: z.number(),
})

/** The progress of the import of a project, at most once a second. `project.import_ended` reports the end. */
export const ProjectImportProgressed = event('import.progressed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  step: z.string().nullable(),
})

/** A retry of a failed import was requested. The domain of the import type restarts it. */
export const ProjectImportRetried = event('import.retried', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  import_type: z.string(),
})

/** An export of a project was requested, progressed or ended. */
export const ProjectExportChanged = event('export.changed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  export_id: z.number(),
  state: z.string(),
})

const forkIds = {
  /** The fork. */
  project_id: z.number(),
  forked_from_project_id: z.number(),
  actor_id: z.number().nullable(),
}

/** A fork was created. A job copies its repository. */
export const ProjectForked = event('project.forked', forkIds)

/** An existing project was made a fork of another one. */
export const ForkLinked = event('fork.linked', forkIds)

/** The fork relationship of a project was removed. */
export const ForkUnlinked = event('fork.unlinked', forkIds)
