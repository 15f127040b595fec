import BetterSqlite3 from 'better-sqlite3'

import { SEALED_COLUMNS, SEALED_MAPS } from '../lib/security/sealed-columns.ts'

/** Opens a sealed value with the old key and seals it with the new one. */
export type Reseal = (sealed: string, purpose: string) => string

/**
 * Seals all sealed values of a database with the new key, in one transaction, and overwrites the old values in the file.
 * Skips tables that an older database lacks.
 */
export function resealDatabase(file: string, reseal: Reseal): void {
  const sqlite = new BetterSqlite3(file, { fileMustExist: true })
  try {
    sqlite.pragma('busy_timeout = 5000')
    sqlite.pragma('synchronous = FULL')
    sqlite.pragma('secure_delete = ON')
    sqlite.function('reseal', { deterministic: false }, (sealed, purpose) =>
      reseal(String(sealed), String(purpose)),
    )
    sqlite.function('reseal_map', { deterministic: false }, (text, purpose) => {
      const map = JSON.parse(String(text)) as Record<string, string>
      const entries = Object.entries(map).map(([name, value]) => [
        name,
        reseal(value, `${String(purpose)}.${name}`),
      ])
      return JSON.stringify(Object.fromEntries(entries))
    })
    const hasColumn = (table: string, column: string): boolean =>
      sqlite.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined
    sqlite.transaction(() => {
      for (const { table, column, purpose } of SEALED_COLUMNS) {
        if (!hasColumn(table, column)) continue
        const sql = `UPDATE ${table} SET ${column} = reseal(${column}, ?) WHERE ${column} LIKE 'v1:%'`
        sqlite.prepare(sql).run(purpose)
      }
      for (const { table, column, purpose } of SEALED_MAPS) {
        if (!hasColumn(table, column)) continue
        sqlite.prepare(`UPDATE ${table} SET ${column} = reseal_map(${column}, ?)`).run(purpose)
      }
    })()
    sqlite.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    sqlite.close()
  }
}
