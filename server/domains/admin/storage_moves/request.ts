import { z } from 'zod'

import { KINDS } from './container.ts'

/** What a move is told to do; it holds what is needed to clean up after a container that is gone. */
export const orderShape = {
  storage_move_id: z.number(),
  kind: z.enum(KINDS),
  container_id: z.number(),
  disk_path: z.string(),
  source: z.string(),
  destination: z.string(),
  key: z.string(),
  /** When it was scheduled; for what is cleared away, when the repository had moved. */
  since: z.string(),
}

export type MoveRequest = z.output<z.ZodObject<typeof orderShape>>
