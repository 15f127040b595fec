import { z } from 'zod'

import { event } from '../../events/event.ts'

const ids = {
  /** The fork. */
  project_id: z.number(),
  forked_from_project_id: z.number(),
  actor_id: z.number().nullable(),
}

/** A fork was made; its repository is still to be copied. */
export const ProjectForked = event('project.forked', ids)

/** A project that was there already counts as a fork of another one now. */
export const ForkLinked = event('fork.linked', ids)

/** A fork stands for itself now. */
export const ForkUnlinked = event('fork.unlinked', ids)
