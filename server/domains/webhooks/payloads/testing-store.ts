import { type Database, jsonList } from '../../../db/database.ts'

const SQL = {
  issue: 'SELECT id FROM issues WHERE project_id = ? AND confidential = 0 ORDER BY id DESC LIMIT 1',
  confidential_issue:
    'SELECT id FROM issues WHERE project_id = ? AND confidential = 1 ORDER BY id DESC LIMIT 1',
  merge_request: 'SELECT id FROM merge_requests WHERE project_id = ? ORDER BY id DESC LIMIT 1',
  pipeline: 'SELECT id FROM ci_pipelines WHERE project_id = ? ORDER BY id DESC LIMIT 1',
  job: `SELECT id FROM ci_jobs WHERE project_id = ? AND kind = 'job' ORDER BY id DESC LIMIT 1`,
  deployment: `SELECT id FROM deployments WHERE project_id = ?
    AND status IN ('running', 'success', 'failed', 'canceled') ORDER BY id DESC LIMIT 1`,
  release: 'SELECT id FROM releases WHERE project_id = ? ORDER BY id DESC LIMIT 1',
  feature_flag: 'SELECT id FROM feature_flags WHERE project_id = ? ORDER BY id DESC LIMIT 1',
} as const

/** The kinds of rows for test events. */
export type Stored = keyof typeof SQL

/** Returns the ID of the newest row of a kind in a project. Undefined if there is none. */
export function newest(db: Database, kind: Stored, projectId: number): number | undefined {
  return db.one<{ id: number }>(SQL[kind], projectId)?.id
}

/** Returns the newest user notes of a project. */
export function newestNotes(db: Database, projectId: number): number[] {
  const rows = db.many<{ id: number }>(
    'SELECT id FROM notes WHERE project_id = ? AND system = 0 ORDER BY id DESC LIMIT 20',
    projectId,
  )
  return rows.map((row) => row.id)
}

/** An awarded emoji, as stored. */
export interface AwardRow {
  readonly id: number
  readonly user_id: number
  readonly name: string
  readonly awardable_type: string
  readonly awardable_id: number
  readonly created_at: string
  readonly updated_at: string
}

/** Returns the newest emoji of an issue or merge request of a project, without confidential issues. */
export function newestAward(db: Database, projectId: number): AwardRow | undefined {
  return db.one<AwardRow>(
    `SELECT id, user_id, name, awardable_type, awardable_id, created_at, updated_at FROM award_emoji
     WHERE (awardable_type = 'Issue' AND awardable_id IN (
         SELECT id FROM issues WHERE project_id = ? AND confidential = 0))
       OR (awardable_type = 'MergeRequest' AND awardable_id IN (
         SELECT id FROM merge_requests WHERE project_id = ?))
     ORDER BY +id DESC LIMIT 1`,
    projectId,
    projectId,
  )
}

/** Lists the newest projects with code: of the instance, or of a group and its subgroups (`namespaceIds`). */
export function newestProjects(db: Database, namespaceIds: readonly number[] | null): number[] {
  const rows =
    namespaceIds === null
      ? db.many<{ id: number }>('SELECT id FROM projects WHERE empty_repo = 0 ORDER BY id DESC LIMIT 20')
      : db.many<{ id: number }>(
          `SELECT id FROM projects WHERE namespace_id IN (SELECT value FROM json_each(?)) ORDER BY id DESC LIMIT 20`,
          jsonList(namespaceIds),
        )
  return rows.map((row) => row.id)
}

/** Returns the newest direct membership of a group. */
export function newestMember(db: Database, groupId: number) {
  return db.one<{ user_id: number; access_level: number; expires_at: string | null }>(
    'SELECT user_id, access_level, expires_at FROM members WHERE namespace_id = ? ORDER BY id DESC LIMIT 1',
    groupId,
  )
}

/** Returns the newest direct subgroup of a group. */
export function newestSubgroup(db: Database, groupId: number): number | undefined {
  const sql = `SELECT id FROM namespaces WHERE parent_id = ? ORDER BY id DESC LIMIT 1`
  return db.one<{ id: number }>(sql, groupId)?.id
}
