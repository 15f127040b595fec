import { z } from 'zod'

import { event } from '../../events/event.ts'

const ids = { project_id: z.number(), actor_id: z.number().nullable() }

/** A project was created and its repository is on disk. */
export const ProjectCreated = event('project.created', { ...ids, initialize_with_readme: z.boolean() })

/** Settings of a project changed; `changed` names the columns. */
export const ProjectUpdated = event('project.updated', {
  ...ids,
  changed: z.array(z.string()),
  /** Full path before, when that changed. */
  old_path: z.string().optional(),
})

/** A project is gone from the database; its repository is still to be removed from its storage. */
export const ProjectDeleted = event('project.deleted', {
  ...ids,
  path_with_namespace: z.string(),
  repository_storage: z.string(),
  disk_path: z.string(),
})

/** A user starred a project. */
export const ProjectStarred = event('project.starred', ids)

/** A user took their star back. */
export const ProjectUnstarred = event('project.unstarred', ids)
