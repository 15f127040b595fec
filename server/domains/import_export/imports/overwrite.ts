import type { Ctx } from '../../../ctx.ts'
import { deleteProject, projectById, updateProjectRow, type Project } from '../../projects/index.ts'

/** What of the old project belongs to the new one afterwards: people, groups, stars and keys. */
const MOVED = ['members', 'project_group_links', 'project_stars', 'deploy_keys_projects'] as const

/**
 * A project that was imported beside another one takes its name, path, members, groups, stars and forks; the other one is deleted.
 * Where that is gone already, the name and path are taken if nobody else has. Inside the transaction that ends the import.
 */
export function takePlace(ctx: Ctx, project: Project, oldId: number): void {
  const old = projectById(ctx.db, oldId)
  if (!old || old.namespace_id !== project.namespace_id) return
  for (const table of MOVED)
    ctx.db.exec(`UPDATE OR IGNORE ${table} SET project_id = ? WHERE project_id = ?`, project.id, old.id)
  ctx.db.exec(
    'UPDATE projects SET forked_from_project_id = ? WHERE forked_from_project_id = ?',
    project.id,
    old.id,
  )
  const { name, path, star_count, forks_count, fork_network_id } = old
  deleteProject(ctx, old)
  updateProjectRow(ctx.db, project.id, {
    name,
    path,
    star_count,
    forks_count,
    fork_network_id,
    updated_at: ctx.now,
  })
}
