import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** The content of the instance was replaced by a snapshot; windows load themselves anew. */
export const SnapshotRestored = event('snapshot.restored', { snapshot: z.string() })
