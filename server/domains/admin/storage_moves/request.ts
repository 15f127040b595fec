import { z } from 'zod'
import { KINDS } from './store.ts'

/** A requested move, with all that its cleanup needs when the container is deleted. */
export const requestShape = {
  storage_move_id: z.number(),
  kind: z.enum(KINDS),
  container_id: z.number(),
  disk_path: z.string(),
  source: z.string(),
  destination: z.string(),
  key: z.string(),
  /** When the move was scheduled; for a cleanup, when the repository had moved. */
  since: z.string(),
}

export type MoveRequest = z.output<z.ZodObject<typeof requestShape>>
