import type { Database } from '../../../db/database.ts'

/** What a move is about: the code of a project with its wiki, a snippet, or the wiki of a group. */
export const KINDS = ['project', 'snippet', 'group'] as const
export type Kind = (typeof KINDS)[number]

/** What is moved, as far as moving it goes. `id`: of the project, the snippet or the group. */
export interface Container {
  readonly id: number
  readonly repository_storage: string
  readonly repository_read_only: boolean
  readonly repository_state: string
  readonly disk_path: string
}

/** Where the columns of a kind stand, and what they are found by. */
const TABLES: Readonly<Record<Kind, { table: string; id: string; only: string }>> = {
  project: { table: 'projects', id: 'id', only: '' },
  snippet: { table: 'snippets', id: 'id', only: '' },
  // The wiki of a project lies with its project.
  group: { table: 'wikis', id: 'group_id', only: 'AND group_id IS NOT NULL' },
}

/** Undefined for what is gone, and for a group without a wiki. */
export function containerOf(db: Database, kind: Kind, id: number): Container | undefined {
  const { table, id: key } = TABLES[kind]
  return db.one<Container>(
    `SELECT ${key} AS id, repository_storage, repository_read_only, repository_state, disk_path FROM ${table}
     WHERE ${key} = ?`,
    id,
  )
}

/** Ids of what lies in a storage, beginning behind `after`, lowest first. */
export function containersIn(
  db: Database,
  kind: Kind,
  { storage, after, limit }: { readonly storage: string; readonly after: number; readonly limit: number },
): number[] {
  const { table, id, only } = TABLES[kind]
  // Those of a group follow the wiki's own number, which only grows.
  const rows = db.many<{ id: number }>(
    `SELECT ${id} AS id FROM ${table} WHERE repository_storage = ? AND ${id} > ? ${only} ORDER BY ${id} LIMIT ?`,
    storage,
    after,
    limit,
  )
  return rows.map((row) => row.id)
}

/** Lets nobody write to the repository, or everybody again. */
export function setReadOnly(db: Database, kind: Kind, id: number, isReadOnly: boolean): void {
  const { table, id: key } = TABLES[kind]
  db.exec(`UPDATE ${table} SET repository_read_only = ? WHERE ${key} = ?`, Number(isReadOnly), id)
}

/** Says that the repository lies in another storage now, and can be written again. False when it is gone. */
export function settleIn(
  db: Database,
  kind: Kind,
  id: number,
  { storage, now }: { readonly storage: string; readonly now: string },
): boolean {
  const { table, id: key } = TABLES[kind]
  const { changes } = db.exec(
    `UPDATE ${table} SET repository_storage = ?, repository_read_only = 0, updated_at = max(updated_at, ?)
     WHERE ${key} = ?`,
    storage,
    now,
    id,
  )
  if (kind === 'project') db.exec('UPDATE wikis SET repository_storage = ? WHERE project_id = ?', storage, id)
  return changes > 0
}
