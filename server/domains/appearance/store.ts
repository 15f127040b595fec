import type { Insertable, Selectable, Updateable } from 'kysely'

import { q, type Database } from '../../db/database.ts'
import type { AppearancesTable } from '../../db/schema.gen.ts'

/** The stored appearance: the only row of its table. */
export type AppearanceRow = Selectable<AppearancesTable>
export type AppearanceColumns = Updateable<Omit<AppearancesTable, 'id'>>

/** Returns the appearance. Inserts its row with `now` if the instance has none. */
export function load(db: Database, now: string): AppearanceRow {
  const row = find(db)
  if (row) return row
  const first: Insertable<AppearancesTable> = { id: 1, created_at: now, updated_at: now }
  db.run(q.insertInto('appearances').values(first))
  return find(db)!
}

/** Returns the appearance; undefined without a row. Cached until the table changes. */
export function find(db: Database): AppearanceRow | undefined {
  return (
    db.rememberRows(
      'appearance',
      () => db.one<AppearanceRow>('SELECT * FROM appearances WHERE id = 1') ?? null,
    ) ?? undefined
  )
}

export function update(db: Database, columns: AppearanceColumns): AppearanceRow {
  return db.get(q.updateTable('appearances').set(columns).where('id', '=', 1).returningAll())!
}
