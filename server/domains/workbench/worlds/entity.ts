import { z } from 'zod'

import { entity } from '../../../http/entity.ts'

/** The number of objects of a kind that were created, and that already existed. */
export interface Count {
  readonly kind: string
  readonly made: number
  readonly kept: number
}

/** The result of applying a world, or of checking it. */
export interface WorldOutcome {
  readonly dry_run: boolean
  readonly title: string | null
  readonly counts: Count[]
  /** Projects that get their content from a folder and have none yet. */
  readonly folders: string[]
  readonly milliseconds: number
}

export const WorkbenchWorldOutcome = entity(
  'WorkbenchWorldOutcome',
  {
    dry_run: z.boolean().describe('Whether the world was only checked and nothing was created'),
    title: z.string().nullable(),
    counts: z.array(
      z.object({
        kind: z.string(),
        made: z.int().describe('Number of created objects; with `dry_run`, of objects in the world'),
        kept: z.int().describe('Number of objects that already existed'),
      }),
    ),
    folders: z.array(z.string()).describe('Projects that get their content from a folder and have none yet'),
    milliseconds: z.int(),
  },
  ({ dry_run, title, counts, folders, milliseconds }: WorldOutcome) => ({
    dry_run,
    title,
    counts,
    folders,
    milliseconds,
  }),
)

export interface ShippedWorld {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly bytes: number
}

/** A world that comes with the instance. */
export const WorkbenchWorld = entity(
  'WorkbenchWorld',
  { name: z.string(), title: z.string(), description: z.string(), bytes: z.int() },
  ({ name, title, description, bytes }: ShippedWorld) => ({ name, title, description, bytes }),
)

/** A folder that was sent for a world. */
export const WorkbenchFolder = entity(
  'WorkbenchFolder',
  { id: z.string().describe('ID of the folder, for `folders` of the request that applies the world') },
  ({ id }: { readonly id: string }) => ({ id }),
)
