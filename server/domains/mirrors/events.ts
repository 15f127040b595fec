import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A push mirror was created, updated or deleted, or its synchronization started or ended. */
export const RemoteMirrorChanged = event('remote_mirror.changed', {
  project_id: z.number(),
  mirror_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted', 'synced']),
  update_status: z.string(),
  actor_id: z.number().nullable(),
})

/** A pull mirror started or ended an update, or its settings changed. */
export const PullMirrorChanged = event('pull_mirror.changed', {
  project_id: z.number(),
  update_status: z.string(),
  actor_id: z.number().nullable(),
})
