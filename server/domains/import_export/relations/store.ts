import type { StoredRow } from './columns.ts'
import type { Owner, Source } from './relation.ts'

type Db = Source['db']

const ownerColumn = ({ kind }: Owner): string => `${kind}_id`

/** The rows of a table that belong to the owner, sorted by ID. */
export function rowsOf<R extends StoredRow>(
  { db, owner }: Source,
  table: string,
  column = ownerColumn(owner),
): IterableIterator<R> {
  return db.each<R>(`SELECT * FROM ${table} WHERE ${column} = ? ORDER BY id`, owner.id)
}

/** The number of rows of a table that belong to the owner. */
export function countOf({ db, owner }: Source, table: string, column = ownerColumn(owner)): number {
  const count = `SELECT count(*) AS total FROM ${table} WHERE ${column} = ?`
  return db.one<{ total: number }>(count, owner.id)!.total
}

/** The rows of a table that refer to another row. */
export function dependentRows<R extends StoredRow>(
  { db }: Source,
  table: string,
  { key, id, order = 'id' }: { key: string; id: number; order?: string },
): R[] {
  return db.many<R>(`SELECT * FROM ${table} WHERE ${key} = ? ORDER BY ${order}`, id)
}

/** The row of the exported project. */
export function projectRow({ db, owner }: Source): StoredRow | undefined {
  return db.one<StoredRow>('SELECT * FROM projects WHERE id = ?', owner.id)
}

/** The approval settings of the project; undefined if they were never changed. */
export function approvalSettings({ db, owner }: Source): StoredRow | undefined {
  return db.one<StoredRow>('SELECT * FROM project_approval_settings WHERE project_id = ?', owner.id)
}

/** The row of a group. */
export function groupRow<R = StoredRow>(db: Db, id: number): R | undefined {
  return db.one<R>("SELECT * FROM namespaces WHERE id = ? AND kind = 'group'", id)
}

/** The ID of a row of the project, by its name. */
export function idByName(db: Db, table: string, { id }: Owner, name: string): number | undefined {
  return db.one<{ id: number }>(`SELECT id FROM ${table} WHERE project_id = ? AND name = ?`, id, name)?.id
}

/** The ID of the row of the project in a table with at most one row per project. */
export function idOfProject(db: Db, table: string, { id }: Owner): number | undefined {
  return db.one<{ id: number }>(`SELECT id FROM ${table} WHERE project_id = ?`, id)?.id
}

/** The ID of the approval rule with this type and name. The rule for any approver is found by its type only. */
export function approvalRuleId(db: Db, { id }: Owner, type: string, name: string): number | undefined {
  return db.one<{ id: number }>(
    `SELECT id FROM approval_rules WHERE project_id = ? AND rule_type = ?
     AND (name = ? OR rule_type = 'any_approver')`,
    id,
    type,
    name,
  )?.id
}

/** Names of the protected branches to which an approval rule applies. */
export function branchesOfRule({ db }: Source, ruleId: number): string[] {
  const rows = db.many<{ name: string }>(
    `SELECT b.name FROM approval_rule_branches r
     JOIN protected_branches b ON b.id = r.protected_branch_id WHERE r.rule_id = ? ORDER BY b.id`,
    ruleId,
  )
  return rows.map(({ name }) => name)
}

/** Access levels of a protected branch or tag, without those of deploy keys, which are not exported. */
export function levelsOf<R extends StoredRow>({ db }: Source, kind: 'branch' | 'tag', id: number): R[] {
  return db.many<R>(
    `SELECT * FROM protected_${kind}_levels WHERE protected_${kind}_id = ? AND deploy_key_id IS NULL ORDER BY id`,
    id,
  )
}

const MEMBERS = `
  SELECT m.access_level, m.user_id, m.created_by_id, m.expires_at, m.created_at, m.namespace_id, u.public_email, u.username
  FROM members m JOIN users u ON u.id = m.user_id AND u.kind = 'human'`

/** A direct member. */
export type MemberRow = {
  readonly access_level: number
  readonly user_id: number
  readonly created_by_id: number | null
  readonly expires_at: string | null
  readonly created_at: string
  /** Null for a member of the project itself. */
  readonly namespace_id: number | null
  readonly public_email: string | null
  readonly username: string
}

/** Human users who are direct members. Bots are not exported. */
export function membersOf({ db, owner }: Source): IterableIterator<MemberRow> {
  const column = owner.kind === 'project' ? 'project_id' : 'namespace_id'
  return db.each<MemberRow>(`${MEMBERS} WHERE m.${column} = ? ORDER BY m.id`, owner.id)
}

/**
 * Members of the ancestor groups of a project who are not direct members, with their highest level in one of the
 * groups.
 */
export function membersOfAncestorGroups({ db, owner }: Source): IterableIterator<MemberRow> {
  return db.each<MemberRow>(
    `${MEMBERS}
     WHERE m.namespace_id IN (SELECT value FROM projects p, namespaces n, json_each(n.lineage)
       WHERE p.id = ? AND n.id = p.namespace_id AND n.kind = 'group')
     AND NOT EXISTS (SELECT 1 FROM members d WHERE d.project_id = ? AND d.user_id = m.user_id)
     GROUP BY m.user_id HAVING m.access_level = max(m.access_level) ORDER BY m.user_id`,
    owner.id,
    owner.id,
  )
}

/** Snippets with a repository. */
export function snippetsOf<R extends StoredRow>({ db, owner }: Source): IterableIterator<R> {
  return db.each<R>(
    "SELECT * FROM snippets WHERE project_id = ? AND repository_state = 'ready' ORDER BY id",
    owner.id,
  )
}

export function countSnippets({ db, owner }: Source): number {
  const count = "SELECT count(*) AS total FROM snippets WHERE project_id = ? AND repository_state = 'ready'"
  return db.one<{ total: number }>(count, owner.id)!.total
}

/** The storage of a project's repository. */
export function storageOf(db: Db, projectId: number): string {
  const storage = 'SELECT repository_storage AS name FROM projects WHERE id = ?'
  return db.one<{ name: string }>(storage, projectId)!.name
}

/** Pipelines, each with its merge request, if that belongs to the same project. */
export function pipelinesOf<R extends StoredRow>({ db, owner }: Source): IterableIterator<R> {
  return db.each<R>(
    `SELECT p.*, m.iid AS request_iid, m.title AS request_title FROM ci_pipelines p
     LEFT JOIN merge_requests m ON m.id = p.merge_request_id AND m.project_id = p.project_id
     WHERE p.project_id = ? ORDER BY p.id`,
    owner.id,
  )
}

/** CI jobs of a pipeline, sorted by stage. */
export function jobsOf<R extends StoredRow>({ db }: Source, pipelineId: number): R[] {
  return db.many<R>(
    `SELECT j.*, d.options, d.variables FROM ci_jobs j LEFT JOIN ci_job_details d ON d.job_id = j.id
     WHERE j.pipeline_id = ? ORDER BY j.stage_index, j.stage, j.id`,
    pipelineId,
  )
}
