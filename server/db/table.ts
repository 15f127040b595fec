import type { Insertable, Selectable, Updateable } from 'kysely'

import type { Database } from './database.ts'
import type { Schema } from './schema.gen.ts'

/** The names of the tables with ids. */
type TableName = {
  [Table in keyof Schema]: Schema[Table] extends { id: unknown } ? Table : never
}[keyof Schema]

/** Column values to match; null matches NULL. */
type Filter<Row> = { readonly [Column in keyof Row]?: Row[Column] | undefined }

/** The simple statements of a table with ids. */
export interface Table<Row, New, Changes> {
  readonly byId: (db: Database, id: number) => Row | undefined
  /** The matching row with the lowest id. */
  readonly one: (db: Database, filter: Filter<Row>) => Row | undefined
  /** All matching rows, by id. For short lists. */
  readonly list: (db: Database, filter: Filter<Row>) => Row[]
  /** Inserts a row. Like `update`, throws `UniqueViolation` when an index refuses it. */
  readonly insert: (db: Database, row: New) => Row
  /** Changes the given columns and returns the row, which must exist. */
  readonly update: (db: Database, id: number, changes: Changes) => Row
  /** Returns false when the row did not exist. */
  readonly remove: (db: Database, id: number) => boolean
}

function entriesOf(values: object): [name: string, value: unknown][] {
  return Object.entries(values).filter(([, value]) => value !== undefined)
}

/**
 * Creates the simple statements of a table, for the store of the domain that owns it: `export const { byId, insert,
 * remove } = table('releases')`. The store itself contains all other queries.
 */
export function table<Name extends TableName>(
  name: Name,
): Table<Selectable<Schema[Name]>, Insertable<Schema[Name]>, Updateable<Schema[Name]>> {
  type Row = Selectable<Schema[Name]>
  const BY_ID = `SELECT * FROM ${name} WHERE id = ?`
  const REMOVE = `DELETE FROM ${name} WHERE id = ?`
  const matching = (filter: Filter<Row>): [sql: string, ...values: unknown[]] => {
    const entries = entriesOf(filter)
    const conditions = entries.map(([column, value]) => `${column} ${value === null ? 'IS' : '='} ?`)
    const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : ''
    return [`SELECT * FROM ${name}${where} ORDER BY id`, ...entries.map(([, value]) => value)]
  }
  const byId = (db: Database, id: number): Row | undefined => db.one<Row>(BY_ID, id)
  return {
    byId,
    one(db, filter) {
      const [sql, ...values] = matching(filter)
      return db.one<Row>(`${sql} LIMIT 1`, ...values)
    },
    list: (db, filter) => db.many<Row>(...matching(filter)),
    insert(db, row) {
      const columns = entriesOf(row)
      const names = columns.map(([column]) => column).join(', ')
      const marks = columns.map(() => '?').join(', ')
      const sql = `INSERT INTO ${name} (${names}) VALUES (${marks}) RETURNING *`
      return db.one<Row>(sql, ...columns.map(([, value]) => value))!
    },
    update(db, id, changes) {
      const columns = entriesOf(changes)
      if (columns.length === 0) return byId(db, id)!
      const sets = columns.map(([column]) => `${column} = ?`).join(', ')
      const sql = `UPDATE ${name} SET ${sets} WHERE id = ? RETURNING *`
      return db.one<Row>(sql, ...columns.map(([, value]) => value), id)!
    },
    remove: (db, id) => db.exec(REMOVE, id).changes > 0,
  }
}
