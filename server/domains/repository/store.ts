import type { Ctx } from '../../ctx.ts'
import { type Database, jsonList } from '../../db/database.ts'
import { hasAbility } from '../../policy/ability.ts'
import { project, type Project } from '../projects/index.ts'
import type { CommitPipeline } from './commits/entity.ts'
import { abilities } from './policy.ts'

const PIPELINE_COLUMNS = 'id, iid, project_id, sha, ref, status, source, created_at, updated_at, name'

/**
 * Returns the newest pipeline of a commit that the actor may see; its status is the commit's status. The CI domain
 * imports this one, so this reads the table directly.
 */
export function latestPipeline(ctx: Ctx, owner: Project, sha: string): CommitPipeline | undefined {
  if (!hasAbility(ctx, project, abilities.read_commit_pipelines, owner)) return undefined
  return ctx.db.one<CommitPipeline>(
    `SELECT ${PIPELINE_COLUMNS} FROM ci_pipelines
     WHERE project_id = ? AND sha = ? AND source <> 'parent_pipeline' ORDER BY id DESC LIMIT 1`,
    owner.id,
    sha,
  )
}

/** Ref updates that are announced and not finished; see `announce` in `service-refs.ts`. */
export interface JournalRow {
  readonly id: number
  readonly project_id: number
  readonly actor_id: number | null
  readonly source: 'push' | 'api' | 'merge' | 'mirror'
  /** JSON list of updates. */
  readonly updates: string
  /** JSON list of texts. */
  readonly push_options: string
  readonly created_at: string
}

const JOURNAL_COLUMNS = 'id, project_id, actor_id, source, updates, push_options, created_at'

export function insertJournal(db: Database, row: Omit<JournalRow, 'id'>): number {
  return db.exec(
    `INSERT INTO ref_journal (project_id, actor_id, source, updates, push_options, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    row.project_id,
    row.actor_id,
    row.source,
    row.updates,
    row.push_options,
    row.created_at,
  ).id
}

/** Returns the id of the project with the repository in this folder. */
export function projectAt(db: Database, diskPath: string): number | undefined {
  return db.one<{ id: number }>('SELECT id FROM projects WHERE disk_path = ?', diskPath)?.id
}

/** Deletes a journal row, and the rows of interrupted attempts at the same updates. */
export function removeJournal(db: Database, row: { id: number; project_id: number; updates: string }): void {
  db.exec(
    'DELETE FROM ref_journal WHERE project_id = ? AND (id = ? OR updates = ?)',
    row.project_id,
    row.id,
    row.updates,
  )
}

export function journal(db: Database): JournalRow[] {
  return db.many<JournalRow>(`SELECT ${JOURNAL_COLUMNS} FROM ref_journal ORDER BY id`)
}

export function journalRow(db: Database, id: number): JournalRow | undefined {
  return db.one<JournalRow>(`SELECT ${JOURNAL_COLUMNS} FROM ref_journal WHERE id = ?`, id)
}

/** Returns the stored languages of a project with their shares, the largest first. */
export function languagesOfProject(db: Database, projectId: number): [name: string, share: number][] {
  const sql = 'SELECT name, share FROM project_languages WHERE project_id = ? ORDER BY share DESC, name'
  return db.many<{ name: string; share: number }>(sql, projectId).map(({ name, share }) => [name, share])
}

/** Replaces the languages of a project. Runs in the caller's transaction. */
export function replaceLanguages(
  db: Database,
  projectId: number,
  shares: readonly (readonly [name: string, share: number])[],
): void {
  db.exec('DELETE FROM project_languages WHERE project_id = ?', projectId)
  const sql = 'INSERT INTO project_languages (project_id, name, share) VALUES (?, ?, ?)'
  for (const [name, share] of shares) db.exec(sql, projectId, name, share)
}

/** The fields of a release that its tag contains. */
export interface TagRelease {
  readonly tag_name: string
  readonly description: string | null
}

/**
 * Returns the releases of some tags, by tag. The releases domain imports this one, so this reads the table directly.
 */
export function releasesOf(
  db: Database,
  projectId: number,
  tags: readonly string[],
): Map<string, TagRelease> {
  const rows = db.many<TagRelease>(
    `SELECT tag AS tag_name, description FROM releases
     WHERE project_id = ? AND tag IN (SELECT value FROM json_each(?))`,
    projectId,
    jsonList(tags),
  )
  return new Map(rows.map((row) => [row.tag_name, row]))
}

/**
 * Returns whether a group has access to a project: as one of its parent groups, or by a share with the project or a
 * parent group that is valid on the day `today`.
 */
export function groupHasAccess(
  db: Database,
  project: { readonly id: number; readonly lineage: string },
  groupId: number,
  today: string,
): boolean {
  const sql = `SELECT 1 FROM namespaces n WHERE n.id = ? AND n.kind = 'group' AND (
      n.id IN (SELECT value FROM json_each(?))
      OR EXISTS (SELECT 1 FROM project_group_links l WHERE l.project_id = ? AND l.group_id = n.id
        AND (l.expires_at IS NULL OR l.expires_at > ?))
      OR EXISTS (SELECT 1 FROM group_group_links l WHERE l.shared_group_id IN (SELECT value FROM json_each(?))
        AND l.group_id = n.id AND (l.expires_at IS NULL OR l.expires_at > ?)))`
  return db.one(sql, groupId, project.lineage, project.id, today, project.lineage, today) !== undefined
}

/** Returns whether a deploy key is enabled for a project and may write to it. */
export function keyMayPush(db: Database, projectId: number, keyId: number): boolean {
  const sql = 'SELECT 1 FROM deploy_keys_projects WHERE project_id = ? AND deploy_key_id = ? AND can_push = 1'
  return db.one(sql, projectId, keyId) !== undefined
}
