import { z } from 'zod'

import { event } from '../../../events/event.ts'

const ids = {
  /** The fork. */
  project_id: z.number(),
  forked_from_project_id: z.number(),
  actor_id: z.number().nullable(),
}

/** A fork was created. A job copies its repository. */
export const ProjectForked = event('project.forked', ids)

/** An existing project was made a fork of another one. */
export const ForkLinked = event('fork.linked', ids)

/** The fork relationship of a project was removed. */
export const ForkUnlinked = event('fork.unlinked', ids)
