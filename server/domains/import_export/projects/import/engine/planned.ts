import type { Reader } from '../../../../../db/reader.ts'
import { dayOf, oneOf, requiredText, textOf, timeOf, wholeOf } from '../../../relations/checked.ts'
import type { Fields, Owner } from '../../../relations/relation.ts'

const GROUPS_ABOVE = {
  project: 'SELECT namespace_id AS id FROM projects WHERE id = ?',
  group: 'SELECT parent_id AS id FROM namespaces WHERE id = ?',
}
const LINEAGE = `
  WITH RECURSIVE up (id, depth) AS (
    SELECT id, 0 FROM namespaces WHERE id = ?
    UNION ALL SELECT n.parent_id, depth + 1 FROM up JOIN namespaces n ON n.id = up.id WHERE n.parent_id IS NOT NULL)
  SELECT id FROM up ORDER BY depth`

const DEFAULT_COLOR = '#428BCA'
const MAX_TITLE = 255

/** Writes a row that a record needs and that is to stay whatever becomes of the record. */
export type Make = (table: string, row: Record<string, string | number | null>) => number

/**
 * Labels or milestones by their titles (spec administration 6.5): those that the owner has, those of the groups above it, nearest first,
 * and those that are made as they are met.
 */
export class Titles {
  readonly #db: Reader
  readonly #sql: string
  readonly #places: readonly number[]
  readonly #owner: Owner
  readonly #found = new Map<string, number | null>()

  constructor(db: Reader, owner: Owner, table: 'labels' | 'milestones') {
    this.#db = db
    this.#owner = owner
    const above = db.one<{ id: number | null }>(GROUPS_ABOVE[owner.kind], owner.id)?.id ?? null
    this.#places = above === null ? [] : db.many<{ id: number }>(LINEAGE, above).map(({ id }) => id)
    this.#sql = `SELECT id FROM ${table} WHERE title = ? AND `
  }

  find(title: string): number | undefined {
    const known = this.#found.get(title)
    if (known !== undefined) return known ?? undefined
    const found = this.#look(title)
    this.#found.set(title, found ?? null)
    return found
  }

  note(title: string, id: number): void {
    this.#found.set(title, id)
  }

  #look(title: string): number | undefined {
    const own = `${this.#sql}${this.#owner.kind}_id = ?`
    const mine = this.#db.one<{ id: number }>(own, title, this.#owner.id)
    if (mine) return mine.id
    for (const group of this.#places) {
      const found = this.#db.one<{ id: number }>(`${this.#sql}group_id = ?`, title, group)
      if (found) return found.id
    }
    return undefined
  }
}

/** The columns of a label that has to be made. Throws UnusableRecord. */
export function labelRow(record: Fields, owner: Owner, now: string): Record<string, string | null | number> {
  const color = textOf(record, 'color', 100) ?? ''
  return {
    [`${owner.kind}_id`]: owner.id,
    title: titleOf(record),
    color: /^#[0-9a-f]{6}$/i.test(color) ? color : DEFAULT_COLOR,
    description: textOf(record, 'description'),
    created_at: timeOf(record, 'created_at') ?? now,
    updated_at: timeOf(record, 'updated_at') ?? now,
  }
}

/** The title by which labels and milestones are found. Throws UnusableRecord. */
export function titleOf(record: Fields): string {
  return requiredText(record, 'title', MAX_TITLE).trim()
}

/** Gives milestones their numbers: their own where they have one here, the next one where they come from a group. */
export class MilestoneNumbers {
  readonly #taken: Set<number>
  #highest: number

  constructor(db: Reader, owner: Owner) {
    const rows = db.many<{ iid: number }>(
      `SELECT iid FROM milestones WHERE ${owner.kind}_id = ? UNION SELECT last_value FROM internal_ids
       WHERE ${owner.kind}_id = ? AND usage = 'milestones'`,
      owner.id,
      owner.id,
    )
    this.#taken = new Set(rows.map(({ iid }) => iid))
    this.#highest = Math.max(0, ...this.#taken)
  }

  /** Notes a number that was chosen elsewhere. */
  note(iid: number): void {
    this.#taken.add(iid)
    this.#highest = Math.max(this.#highest, iid)
  }

  give(record: Fields, owner: Owner): number {
    const own = record[owner.kind === 'project' ? 'group_id' : 'project_id']
    const wished = own === undefined || own === null ? wholeOf(record, 'iid', { min: 1 }) : null
    const iid = wished !== null && !this.#taken.has(wished) ? wished : this.#highest + 1
    this.note(iid)
    return iid
  }
}

/** The columns of a milestone that has to be made. Throws UnusableRecord. */
export function milestoneRow(
  record: Fields,
  { owner, now, iid }: { owner: Owner; now: string; iid: number },
): Record<string, string | null | number> {
  return {
    [`${owner.kind}_id`]: owner.id,
    iid,
    title: titleOf(record),
    description: textOf(record, 'description'),
    state: oneOf(record, 'state', ['active', 'closed'], 'active'),
    start_date: dayOf(record, 'start_date'),
    due_date: dayOf(record, 'due_date'),
    created_at: timeOf(record, 'created_at') ?? now,
    updated_at: timeOf(record, 'updated_at') ?? now,
  }
}
