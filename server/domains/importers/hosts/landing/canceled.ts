import type { Ctx } from '../../../../ctx.ts'
import { HOST_A, HOST_B_SERVER } from '../../../../http/aliases.ts'
import { projectById } from '../../../projects/index.ts'
import { discardLanded } from './discard.ts'

const TYPES: readonly (string | null)[] = [HOST_A, HOST_B_SERVER]

/** Takes back what a canceled import from another host has brought; of other projects nothing. */
export async function discardCanceled(ctx: Ctx, projectId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  if (project?.import_status === 'canceled' && TYPES.includes(project.import_type))
    await discardLanded(ctx, projectId)
}
