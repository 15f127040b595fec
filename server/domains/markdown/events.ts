import { z } from 'zod'
import { event } from '../../events/event.ts'

/** A file was attached to a project. */
export const FileUploaded = event('upload.created', {
  project_id: z.number(),
  upload_id: z.number(),
  actor_id: z.number().nullable(),
})
