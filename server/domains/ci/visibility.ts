import type { Ctx } from '../../ctx.ts'
import type { EventVisibility } from '../../events/visibility.ts'
import { fail } from '../../lib/fail.ts'
import { hasAbility, canRead } from '../../policy/ability.ts'
import { seesAll } from '../../policy/actor.ts'
import { MAINTAINER, OWNER } from '../../policy/levels.ts'
import { findGroup, group } from '../groups/index.ts'
import { projectEvents, project, type Project, findProject } from '../projects/index.ts'
import type { ArtifactRow } from './artifacts/store.ts'
import { abilities } from './policy.ts'
import { isRunnerOf } from './runners/store-list.ts'
import { byId, type RunnerRow } from './runners/store.ts'

export const jobEvents = projectEvents(['pipeline_id', 'job_id', 'schedule_id'], abilities.read_pipelines)

export const environmentEvents = projectEvents(['environment_id'], abilities.read_environment)

const idOf = (value: unknown) => (typeof value === 'number' ? value : undefined)

/** The visibility of events about runners. Only these events have a `runner_type`. */
export const runnerEvents: EventVisibility = {
  fields: ['runner_type'],
  decides: true,
  may: (ctx, { runner_id, project_id, group_id }) =>
    mayReceiveEvent(ctx, {
      runner_id: idOf(runner_id) ?? 0,
      project_id: idOf(project_id),
      group_id: idOf(group_id),
    }),
}

/** Whether the actor may download an artifact, by `artifacts:public` and `artifacts:access` of its job. */
export function mayFetch(ctx: Ctx, owner: Project, file: Pick<ArtifactRow, 'accessibility'>): boolean {
  if (!hasAbility(ctx, project, abilities.read_jobs, owner)) return false
  switch (file.accessibility) {
    case 'public':
      return true
    case 'none':
      return false
    case 'maintainer':
      return hasAbility(ctx, project, abilities.read_maintainer_artifacts, owner)
    default:
      return hasAbility(ctx, project, abilities.read_private_artifacts, owner)
  }
}

/** Finds a project that the actor may read, by ID or path. A job token finds only projects in its scope. */
export function visibleProject(ctx: Ctx, reference: string): Project | undefined {
  const row = project.load(ctx, reference)
  return row && canRead(ctx, project, row) ? row : undefined
}

/** Whether the actor may see the details of a runner. Every signed-in user may see those of instance runners. */
export function maySee(ctx: Ctx, row: RunnerRow): boolean {
  return (
    row.runner_type === 'instance_type' || seesAll(ctx.actor) || isRunnerOf(ctx.db, ctx, row.id, MAINTAINER)
  )
}

/** Whether the actor may change a runner: maintainers of one of its projects, owners of its group, and administrators. */
function mayManage(ctx: Ctx, row: RunnerRow): boolean {
  return ctx.actor.is_admin || isRunnerOf(ctx.db, ctx, row.id, OWNER)
}

/** Throws 403 if the actor may not change a runner. */
export function requireManager(ctx: Ctx, row: RunnerRow): void {
  if (!mayManage(ctx, row)) throw fail('forbidden', '403 Forbidden - No access granted')
}

/** The payload of an event about a runner. */
interface RunnerEvent {
  readonly runner_id: number
  readonly project_id?: number | undefined
  readonly group_id?: number | undefined
}

/** Whether the actor receives an event about a runner. Only administrators receive events about instance runners. */
function mayReceiveEvent(ctx: Ctx, { runner_id, project_id, group_id }: RunnerEvent): boolean {
  const row = byId(ctx.db, runner_id)
  if (row) return isRunnerOf(ctx.db, ctx, row.id, MAINTAINER)
  // The runner was removed, but its projects and group still exist.
  const owner = project_id === undefined ? undefined : findProject(ctx, String(project_id))
  if (owner) return project.roleOf(ctx, owner) >= MAINTAINER
  const ownerGroup = group_id === undefined ? undefined : findGroup(ctx, String(group_id))
  return ownerGroup !== undefined && group.roleOf(ctx, ownerGroup) >= MAINTAINER
}
