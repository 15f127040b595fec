import { sql } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { selectAll } from '../../../db/lists.ts'
import { findGroup, type Group } from '../../groups/index.ts'
import { visibleGroups, visibleProjects } from '../../members/index.ts'
import { projectsByIds, type Project } from '../../projects/index.ts'
import { withContact } from './contact.ts'
import type { RunnerRow } from './store.ts'

export type { RunnerRow } from './store.ts'

/** A runner with the projects or the group that it works for, as far as the reader may see them. */
export interface RunnerDetailsView {
  readonly row: RunnerRow
  readonly projects: readonly Project[]
  readonly groups: readonly Pick<Group, 'id' | 'name' | 'kind' | 'full_path'>[]
}

/** A runner as it is shown by itself. */
export function showRunner(ctx: Ctx, row: RunnerRow): RunnerDetailsView {
  const shown = withContact(ctx.db, row)
  return { row: shown, projects: projectsSeen(ctx, row), groups: groupsSeen(ctx, row) }
}

function projectsSeen(ctx: Ctx, row: RunnerRow): Project[] {
  if (row.runner_type !== 'project_type') return []
  const query = sql<{ id: number }>`SELECT p.id FROM projects p
    WHERE p.id IN (SELECT project_id FROM runner_projects WHERE runner_id = ${row.id}) AND ${visibleProjects(ctx, 'check')}`
  const ids = selectAll(ctx.db, query).map(({ id }) => id)
  return projectsByIds(ctx.db, ids).sort((a, b) => a.id - b.id)
}

function groupsSeen(ctx: Ctx, row: RunnerRow): Group[] {
  if (row.group_id === null) return []
  const query = sql<{
    id: number
  }>`SELECT n.id FROM namespaces n WHERE n.id = ${row.group_id} AND ${visibleGroups(ctx)}`
  return selectAll(ctx.db, query).flatMap(({ id }) => findGroup(ctx, String(id)) ?? [])
}
