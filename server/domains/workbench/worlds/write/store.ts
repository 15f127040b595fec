import type { Selectable } from 'kysely'

import type { Database } from '../../../../db/database.ts'
import type { MilestonesTable, NamespacesTable, RunnersTable, UsersTable } from '../../../../db/schema.gen.ts'

// Reads rows of other domains for a world.

export type UserRow = Pick<
  Selectable<UsersTable>,
  | 'id'
  | 'username'
  | 'name'
  | 'email'
  | 'commit_email'
  | 'state'
  | 'is_admin'
  | 'external'
  | 'bio'
  | 'location'
  | 'organization'
  | 'job_title'
  | 'kind'
  | 'created_at'
>
export type GroupRow = Selectable<NamespacesTable>
export type MilestoneRow = Selectable<MilestonesTable>

/** An owner of labels, milestones, members and variables. */
export interface Owner {
  readonly kind: 'project' | 'group'
  readonly id: number
}

/** All users except bots. The ghost user is included, because it has the contributions of deleted users. */
export function people(db: Database): UserRow[] {
  return db.many<UserRow>(
    `SELECT id, username, name, email, commit_email, state, is_admin, external, bio, location, organization, job_title, kind,
       created_at FROM users WHERE kind IN ('human', 'ghost') ORDER BY id`,
  )
}

/** All groups. Every group comes before its subgroups. */
export function groups(db: Database): GroupRow[] {
  return db.many<GroupRow>(
    `SELECT * FROM namespaces WHERE kind = 'group' AND marked_for_deletion_on IS NULL
     ORDER BY length(full_path) - length(replace(full_path, '/', '')), id`,
  )
}

export function projects(db: Database): { id: number; path: string }[] {
  return db.many<{ id: number; path: string }>(
    `SELECT p.id, n.full_path || '/' || p.path AS path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
     WHERE p.marked_for_deletion_at IS NULL ORDER BY p.id`,
  )
}

/** Default values of a project's columns, as SQL. */
export function projectDefaults(db: Database): Map<string, string | null> {
  const rows = db.many<{ name: string; dflt_value: string | null }>(
    "SELECT name, dflt_value FROM pragma_table_info('projects')",
  )
  return new Map(rows.map((row) => [row.name, row.dflt_value]))
}

export function members(db: Database, { kind, id }: Owner): { user_id: number; access_level: number }[] {
  return db.many<{ user_id: number; access_level: number }>(
    `SELECT user_id, access_level FROM members WHERE ${kind === 'project' ? 'project_id' : 'namespace_id'} = ? ORDER BY id`,
    id,
  )
}

export function labels(db: Database, { kind, id }: Owner) {
  return db.many<{ title: string; color: string; description: string | null }>(
    `SELECT title, color, description FROM labels WHERE ${kind}_id = ? ORDER BY id`,
    id,
  )
}

export function milestones(db: Database, { kind, id }: Owner): MilestoneRow[] {
  return db.many<MilestoneRow>(`SELECT * FROM milestones WHERE ${kind}_id = ? ORDER BY id`, id)
}

export function variableCount(db: Database, { kind, id }: Owner): number {
  return countOf(db, `SELECT count(*) AS n FROM ci_variables WHERE ${kind}_id = ?`, id)
}

export function hookCount(db: Database, projectId: number): number {
  return countOf(db, 'SELECT count(*) AS n FROM web_hooks WHERE project_id = ?', projectId)
}

export function wikiPageCount(db: Database, projectId: number): number {
  return countOf(
    db,
    'SELECT count(*) AS n FROM wiki_pages p JOIN wikis w ON w.id = p.wiki_id WHERE w.project_id = ?',
    projectId,
  )
}

export type RunnerRow = Pick<
  Selectable<RunnersTable>,
  'id' | 'description' | 'tag_list' | 'run_untagged' | 'locked' | 'paused'
>

/** Runners of the instance, or of a project. The built-in runner is left out. */
export function runners(db: Database, projectId: number | undefined): RunnerRow[] {
  const columns = 'r.id, r.description, r.tag_list, r.run_untagged, r.locked, r.paused'
  if (projectId === undefined)
    return db.many<RunnerRow>(
      `SELECT ${columns} FROM runners r WHERE r.runner_type = 'instance_type' AND r.built_in = 0 ORDER BY r.id`,
    )
  return db.many<RunnerRow>(
    `SELECT ${columns} FROM runner_projects o JOIN runners r ON r.id = o.runner_id
     WHERE o.project_id = ? AND r.runner_type = 'project_type' AND r.built_in = 0 ORDER BY r.id`,
    projectId,
  )
}

export function starrers(db: Database, projectId: number): number[] {
  const rows = db.many<{ user_id: number }>(
    'SELECT user_id FROM project_stars WHERE project_id = ?',
    projectId,
  )
  return rows.map(({ user_id }) => user_id)
}

function countOf(db: Database, statement: string, ...values: unknown[]): number {
  return db.one<{ n: number }>(statement, ...values)?.n ?? 0
}
