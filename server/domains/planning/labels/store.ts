import type { Ctx } from '../../../ctx.ts'
import { jsonList, type Database, tx } from '../../../db/database.ts'
import { table } from '../../../db/table.ts'
import type { Project } from '../../projects/index.ts'
import { type LabelRow, renderLine } from './label.ts'
import type { PlanningOwner, PlanningScope } from '../types-owner.ts'

/** The number of labels that one query reads. */
const BATCH_SIZE = 200

/** The maximum length of a description that is rendered, characters. Rendering a longer one would block other requests. */
const MAX_RENDERED = 8192

/** The maximum number of characters that one transaction renders. A single description may have more. */
const MAX_TEXT = 64 * 1024

/** Renders the descriptions of the labels of a project that an import stored without HTML. */
export async function renderLabelsOf(ctx: Ctx, projectId: number): Promise<void> {
  const sql = `SELECT id, length(description) AS size FROM labels WHERE project_id = ? AND id > ? AND description IS NOT NULL
    AND description_html IS NULL AND length(description) <= ${MAX_RENDERED} ORDER BY id LIMIT ${BATCH_SIZE}`
  for (let lastId = 0; ;) {
    const rows = ctx.db.many<{ id: number; size: number }>(sql, projectId, lastId)
    if (rows.length === 0) return
    let sum = 0
    const batch = rows.filter(({ size }, index) => (sum += size) <= MAX_TEXT || index === 0)
    lastId = batch.at(-1)!.id
    await renderDescriptions(
      ctx,
      batch.map(({ id }) => id),
    )
  }
}

async function renderDescriptions(ctx: Ctx, ids: readonly number[]): Promise<void> {
  const rows = ctx.db.many<{ id: number; description: string }>(
    'SELECT id, description FROM labels WHERE id IN (SELECT value FROM json_each(?)) AND description IS NOT NULL ORDER BY id',
    JSON.stringify(ids),
  )
  const html = await Promise.all(rows.map(({ description }) => renderLine(description)))
  tx(ctx.db, () => {
    // If a description changed in the meantime, that change has rendered it already.
    const sql = 'UPDATE labels SET description_html = ? WHERE id = ? AND description = ?'
    for (const [index, row] of rows.entries()) ctx.db.exec(sql, html[index]!, row.id, row.description)
  })
}

/** Lists the labels of former parent groups that a moved project still uses. */
export function formerLabels(db: Database, project: Project): LabelRow[] {
  return db.many<LabelRow>(
    `SELECT * FROM labels WHERE group_id NOT IN (SELECT value FROM json_each(?)) AND id IN (
       SELECT x.label_id FROM issues i JOIN issue_labels x ON x.issue_id = i.id WHERE i.project_id = ?
       UNION SELECT x.label_id FROM merge_requests r JOIN merge_request_labels x ON x.merge_request_id = r.id
         WHERE r.project_id = ?
       UNION SELECT label_id FROM label_priorities WHERE project_id = ?
       UNION SELECT x.label_id FROM boards b JOIN board_lists x ON x.board_id = b.id WHERE b.project_id = ?
       UNION SELECT x.label_id FROM boards b JOIN board_labels x ON x.board_id = b.id WHERE b.project_id = ?)`,
    project.lineage,
    project.id,
    project.id,
    project.id,
    project.id,
    project.id,
  )
}

const ISSUES = 'issue_id IN (SELECT id FROM issues WHERE project_id = ?)'

const REQUESTS = 'merge_request_id IN (SELECT id FROM merge_requests WHERE project_id = ?)'

const BOARDS = 'board_id IN (SELECT id FROM boards WHERE project_id = ?)'

/** The tables that refer to labels, with the condition for the rows of a project. */
const USES = [
  ['issue_labels', ISSUES],
  ['merge_request_labels', REQUESTS],
  ['resource_label_events', ISSUES],
  ['resource_label_events', REQUESTS],
  ['label_priorities', 'project_id = ?'],
  ['board_lists', BOARDS],
  ['board_labels', BOARDS],
] as const

/** Replaces the label `from` by the label `to` in a project. An issue with both labels keeps only `to`. */
export function moveUsesIn(db: Database, projectId: number, from: number, to: number): void {
  for (const [table, inProject] of USES) {
    db.exec(
      `UPDATE OR IGNORE ${table} SET label_id = ? WHERE label_id = ? AND ${inProject}`,
      to,
      from,
      projectId,
    )
    db.exec(`DELETE FROM ${table} WHERE label_id = ? AND ${inProject}`, from, projectId)
  }
}

export const { byId, insert, update } = table('labels')

export function remove(db: Database, ids: readonly number[]): void {
  db.exec('DELETE FROM labels WHERE id IN (SELECT value FROM json_each(?))', jsonList(ids))
}

/** Returns labels by ID. */
export function labelsByIds(db: Database, ids: readonly number[]): Map<number, LabelRow> {
  const rows = db.many<LabelRow>(
    'SELECT * FROM labels WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Lists all labels that a project can use: its own and those of its parent groups, by title. */
export function availableLabels(db: Database, project: PlanningScope): LabelRow[] {
  return db.many<LabelRow>(
    `SELECT * FROM labels WHERE project_id = ?
     UNION ALL SELECT * FROM labels WHERE group_id IN (SELECT value FROM json_each(?)) ORDER BY title, id`,
    project.id,
    project.lineage,
  )
}

/** Lists the labels with these titles that an owner has or inherits: its own first, then those of the nearest group. */
export function labelsWithTitles(db: Database, owner: PlanningOwner, titles: readonly string[]): LabelRow[] {
  const groups = JSON.parse(owner.lineage) as number[]
  const rows = db.many<LabelRow>(
    `SELECT * FROM labels WHERE title IN (SELECT value FROM json_each(?))
       AND (project_id = ? OR group_id IN (SELECT value FROM json_each(?)))`,
    jsonList(titles),
    owner.kind === 'project' ? owner.id : null,
    owner.lineage,
  )
  const rank = (row: LabelRow): number =>
    row.group_id === null ? groups.length : groups.indexOf(row.group_id)
  return rows.sort((a, b) => rank(b) - rank(a))
}

/** Returns the priorities of labels in a project, by label ID. */
export function priorities(db: Database, projectId: number, ids: readonly number[]): Map<number, number> {
  const rows = db.many<{ label_id: number; priority: number }>(
    `SELECT label_id, priority FROM label_priorities
     WHERE project_id = ? AND label_id IN (SELECT value FROM json_each(?))`,
    projectId,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.label_id, row.priority]))
}

/** Sets the priority of a label in a project. Null removes it. */
export function setPriority(db: Database, projectId: number, labelId: number, priority: number | null): void {
  if (priority === null) {
    db.exec('DELETE FROM label_priorities WHERE project_id = ? AND label_id = ?', projectId, labelId)
    return
  }
  db.exec(
    `INSERT INTO label_priorities (project_id, label_id, priority) VALUES (?, ?, ?)
     ON CONFLICT (project_id, label_id) DO UPDATE SET priority = excluded.priority`,
    projectId,
    labelId,
    priority,
  )
}

/** Returns the label of a group with a title, without inherited labels. */
export function ofGroup(db: Database, groupId: number, title: string): LabelRow | undefined {
  return db.one<LabelRow>('SELECT * FROM labels WHERE group_id = ? AND title = ?', groupId, title)
}

/** Lists the labels with a title of all projects below a group. */
export function inProjectsBelow(db: Database, groupId: number, title: string): LabelRow[] {
  return db.many<LabelRow>(
    `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT l.* FROM labels l JOIN projects p ON p.id = l.project_id
     WHERE l.title = ? AND p.namespace_id IN (SELECT id FROM tree)`,
    groupId,
    title,
  )
}

/** Returns the IDs of all projects below a group. */
export function projectIdsBelow(db: Database, groupId: number): number[] {
  const rows = db.many<{ id: number }>(
    `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT p.id FROM projects p WHERE p.namespace_id IN (SELECT id FROM tree)`,
    groupId,
  )
  return rows.map((row) => row.id)
}
