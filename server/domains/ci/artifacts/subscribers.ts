import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { ProjectDeleted } from '../../projects/events.ts'
import { RefsUpdated } from '../../repository/events.ts'
import { PipelineDeleted } from '../events.ts'
import { removeFolder, removeGone } from './disk.ts'
import { letGo } from './expiry.ts'

const REF = /^refs\/(heads|tags)\/(.+)$/s

interface Update {
  readonly ref: string
  readonly new: string | null
}

function letGoOf(ctx: Ctx, project_id: number, updates: readonly Update[]): void {
  for (const update of updates) {
    const [, kind, ref] = (update.new === null && REF.exec(update.ref)) || []
    if (ref !== undefined) letGo(ctx.db, { project_id, ref, tag: kind === 'tags' })
  }
}

export const subscribers: Subscription[] = [
  on(ProjectDeleted, 'ci.remove_artifacts', (ctx, { project_id }) => removeFolder(ctx, project_id)),
  on(PipelineDeleted, 'ci.remove_artifacts_of_pipeline', removeGone),
  on(RefsUpdated, 'ci.let_artifacts_go', (ctx, { project_id, updates }) => letGoOf(ctx, project_id, updates)),
]
