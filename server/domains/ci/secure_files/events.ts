import { z } from 'zod'

import { event } from '../../../events/event.ts'

const ids = { project_id: z.number(), secure_file_id: z.number(), actor_id: z.number().nullable() }

/** A secure file was created. */
export const SecureFileCreated = event('secure_file.created', ids)

/** The metadata of a certificate or profile was stored. */
export const SecureFileRead = event('secure_file.read', ids)

/** A secure file was deleted. */
export const SecureFileRemoved = event('secure_file.removed', ids)
