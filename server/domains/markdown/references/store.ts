import { type Database, jsonList } from '../../../db/database.ts'

/** A row that a text refers to by its number in the project. */
export interface NumberedRow {
  readonly iid: number
  readonly title: string
}

/** A label with the data of its link. */
export interface LabelRow {
  readonly id: number
  readonly title: string
  readonly color: string
  readonly description: string | null
}

/** A milestone with the data of its link. */
export interface MilestoneRow extends NumberedRow {
  /** The path of its group. Null for a milestone of the project. */
  readonly group_path: string | null
}

/** A user with the data of the link. */
export interface UserRow {
  readonly username: string
  readonly name: string
}

/** The project of references. */
interface OwnerRow {
  readonly id: number
  /** The IDs of its groups, as a JSON array. */
  readonly lineage: string
}

/** Returns users by their usernames in lower case. */
export function usersByUsername(db: Database, names: readonly string[]): Map<string, UserRow> {
  const rows = db.many<UserRow>(
    `SELECT u.username, u.name FROM json_each(?) w CROSS JOIN users u ON u.username = w.value COLLATE NOCASE
     WHERE u.state <> 'deleted'`,
    jsonList([...new Set(names.map((name) => name.toLowerCase()))]),
  )
  return new Map(rows.map((row) => [row.username.toLowerCase(), row]))
}

/** Returns issues of a project by IID. Skips confidential issues that the viewer may not see. */
export function issuesByIid(
  db: Database,
  projectId: number,
  numbers: readonly number[],
  viewer: { readonly id: number | null; readonly seesConfidential: boolean },
): NumberedRow[] {
  return db.many<NumberedRow>(
    `SELECT i.iid, i.title FROM issues i WHERE i.project_id = ? AND i.iid IN (SELECT value FROM json_each(?))
       AND (i.confidential = 0 OR ? OR i.author_id IS ?
         OR EXISTS (SELECT 1 FROM issue_assignees a WHERE a.issue_id = i.id AND a.user_id IS ?))`,
    projectId,
    jsonList(numbers),
    viewer.seesConfidential ? 1 : 0,
    viewer.id,
    viewer.id,
  )
}

/** Returns merge requests of a project by IID. */
export function mergeRequestsByIid(
  db: Database,
  projectId: number,
  numbers: readonly number[],
): NumberedRow[] {
  return db.many<NumberedRow>(
    'SELECT iid, title FROM merge_requests WHERE project_id = ? AND iid IN (SELECT value FROM json_each(?))',
    projectId,
    jsonList(numbers),
  )
}

/** Returns the snippets of a project with these IDs that the viewer may see. `iid` of the rows is the ID. */
export function snippetsById(
  db: Database,
  projectId: number,
  ids: readonly number[],
  viewer: { readonly id: number | null; readonly isMember: boolean; readonly isInternal: boolean },
): NumberedRow[] {
  return db.many<NumberedRow>(
    `SELECT id AS iid, title FROM snippets WHERE project_id = ? AND repository_state = 'ready' AND id IN (SELECT value FROM json_each(?))
       AND (? OR visibility = 'public' OR (? AND visibility = 'internal') OR author_id IS ?)`,
    projectId,
    jsonList(ids),
    viewer.isMember ? 1 : 0,
    viewer.isInternal ? 1 : 0,
    viewer.id,
  )
}

/** Returns labels of a project and its groups, by title or by ID in digits. Those of groups come first. */
export function labelsByName(db: Database, project: OwnerRow, names: readonly string[]): LabelRow[] {
  const list = jsonList(names)
  return db.many<LabelRow>(
    `SELECT id, title, color, description FROM labels
     WHERE (project_id = ? OR group_id IN (SELECT value FROM json_each(?)))
       AND (title IN (SELECT value FROM json_each(?)) OR CAST(id AS TEXT) IN (SELECT value FROM json_each(?)))
     ORDER BY project_id IS NOT NULL, id`,
    project.id,
    project.lineage,
    list,
    list,
  )
}

/** Returns milestones of a project by IID or title, and those of its groups by title. Those of groups come first. */
export function milestonesByName(db: Database, project: OwnerRow, names: readonly string[]): MilestoneRow[] {
  const list = jsonList(names)
  return db.many<MilestoneRow>(
    `SELECT m.iid, m.title, g.full_path AS group_path FROM milestones m LEFT JOIN namespaces g ON g.id = m.group_id
     WHERE (m.project_id = ? OR m.group_id IN (SELECT value FROM json_each(?)))
       AND (m.title IN (SELECT value FROM json_each(?))
         OR (m.group_id IS NULL AND CAST(m.iid AS TEXT) IN (SELECT value FROM json_each(?))))
     ORDER BY m.project_id IS NOT NULL, m.id`,
    project.id,
    project.lineage,
    list,
    list,
  )
}

/** Returns the first active integration of a project with one of these slugs, and its settings as JSON. */
export function firstIntegration(
  db: Database,
  projectId: number,
  slugs: readonly string[],
): { readonly slug: string; readonly properties: string } | undefined {
  return db.one<{ slug: string; properties: string }>(
    `SELECT slug, properties FROM integrations
     WHERE project_id = ? AND active = 1 AND slug IN (${slugs.map(() => '?').join(', ')}) ORDER BY id LIMIT 1`,
    projectId,
    ...slugs,
  )
}
