import { z } from 'zod'

import { event } from '../../../events/event.ts'

const ids = { project_id: z.number(), secure_file_id: z.number(), actor_id: z.number().nullable() }

/** Jobs of a project have a further file. */
export const SecureFileCreated = event('secure_file.created', ids)

/** What a certificate or profile says of itself was read. */
export const SecureFileRead = event('secure_file.read', ids)

/** A file is gone. */
export const SecureFileRemoved = event('secure_file.removed', ids)
