import { tx, type Database } from '../../../../../db/database.ts'

/**
 * Takes so many ids of a table in a row, and gives the first. Whoever inserts without an id gets one behind them. What is not
 * used stays unused: ids only grow.
 */
export function takeIds(db: Database, table: string, count: number): number {
  return tx(db, () => {
    const raised = db.one<{ seq: number }>(
      'UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ? RETURNING seq',
      count,
      table,
    )
    if (raised) return raised.seq - count + 1
    if (!db.one("SELECT 1 FROM sqlite_master WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'", table))
      throw new Error(`The table ${table} does not number its rows for good.`)
    db.exec('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', table, count)
    return 1
  })
}
