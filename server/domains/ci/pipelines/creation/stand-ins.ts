import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import type { PipelineRow } from '../store.ts'

/** Until jobs are processed: nothing begins. */
export function processPipeline(_ctx: Ctx, _pipelineId: number): void {}

/** Until pipelines are called off: nothing is. */
export function cancelRedundant(_ctx: Ctx, _project: Project, _pipeline: PipelineRow): void {}
