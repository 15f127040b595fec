import type { Ctx } from '../../../ctx.ts'
import { isAble } from '../../../policy/ability.ts'
import { fullPath, project, type Project } from '../../projects/index.ts'
import { usualDurations } from '../graph/usual.ts'
import type { JobRow } from '../jobs/store.ts'
import { abilities } from '../policy.ts'
import * as store from './store.ts'

/** A job that runs, with what the first page of the window says of it. */
export interface RunningJob {
  readonly id: number
  readonly row: JobRow
  readonly path: string
  readonly project: Project
  readonly runner: string | null
  /** Seconds that it takes as a rule. */
  readonly usually: number | null
}

const SHOWN = 6

/** Jobs that run in projects that the caller belongs to or in their own name, the newest first. */
export function runningJobs(ctx: Ctx): RunningJob[] {
  const rows = store.running(ctx.db)
  const owners = new Map<number, Project | undefined>()
  const ownerOf = (id: number) => {
    if (!owners.has(id)) owners.set(id, project.load(ctx, String(id)))
    return owners.get(id)
  }
  const shown: RunningJob[] = []
  for (const row of rows) {
    if (shown.length === SHOWN) break
    const owner = ownerOf(row.project_id)
    if (!owner || !isAble(ctx, project, abilities.read_jobs, owner)) continue
    if (row.user_id !== ctx.actor.id && project.roleOf(ctx, owner) === 0 && !ctx.actor.is_admin) continue
    const usually = usualDurations(ctx.db, owner.id, row.pipeline_id).get(row.name) ?? null
    shown.push({ id: row.id, row, path: fullPath(owner), project: owner, runner: row.runner_name, usually })
  }
  return shown
}
