import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A mirror that follows a project was made, changed or removed, or an update of it began or ended. */
export const RemoteMirrorChanged = event('remote_mirror.changed', {
  project_id: z.number(),
  mirror_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted', 'synced']),
  update_status: z.string(),
  actor_id: z.number().nullable(),
})

/** A project that follows a repository elsewhere began or ended an update, or follows another one. */
export const PullMirrorChanged = event('pull_mirror.changed', {
  project_id: z.number(),
  update_status: z.string(),
  actor_id: z.number().nullable(),
})
