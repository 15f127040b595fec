import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** The content of the instance was replaced by a snapshot, and windows reload. */
export const SnapshotRestored = event('snapshot.restored', { snapshot: z.string() })
