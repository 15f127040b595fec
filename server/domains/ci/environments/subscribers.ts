import type { Ctx } from '../../../ctx.ts'
import { on, type Subscription } from '../../../events/publish.ts'
import { inNameOf } from '../../planning/index.ts'
import { projectById } from '../../projects/index.ts'
import { RefsUpdated } from '../../repository/events.ts'
import { JobChanged } from '../events.ts'
import { followJob } from './follow.ts'
import { stopEnvironmentsOf } from './stop.ts'

const BRANCHES = 'refs/heads/'

interface Moved {
  readonly project_id: number
  readonly actor_id: number | null
  readonly updates: readonly { readonly ref: string; readonly new: string | null }[]
}

function afterBranches(ctx: Ctx, { project_id, actor_id, updates }: Moved): void {
  const gone = updates.filter((update) => update.new === null && update.ref.startsWith(BRANCHES))
  if (gone.length === 0) return
  const project = projectById(ctx.db, project_id)
  const acting = inNameOf(ctx, actor_id)
  if (!project || !acting) return
  for (const { ref } of gone) stopEnvironmentsOf(acting, project, { ref: ref.slice(BRANCHES.length) })
}

export const subscribers: Subscription[] = [
  on(JobChanged, 'ci.follow_deployments', (ctx, { job_id, status }) => followJob(ctx, job_id, status), {
    only: ({ has_environment }) => has_environment,
  }),
  on(RefsUpdated, 'ci.stop_environments_of_branches', afterBranches),
]
