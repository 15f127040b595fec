import type BetterSqlite3 from 'better-sqlite3'

import type { Tables } from './statement-tables.ts'

/**
 * Tables with rows and counts that change separately for cached values. The columns listed are the counts. A value computed
 * from one project stays valid when another project changes; a value that uses only paths or levels stays valid when an
 * issue is counted. Statements must not write these tables with `REPLACE`, because SQLite runs no triggers for the rows
 * that it replaces.
 */
const TABLES: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'projects',
    [
      'open_issues_count',
      'star_count',
      'forks_count',
      'pushes_count',
      'commit_count',
      'repository_size',
      'wiki_size',
      'lfs_objects_size',
      'job_artifacts_size',
      'pipeline_artifacts_size',
      'packages_size',
      'snippets_size',
      'uploads_size',
      'last_activity_at',
      'updated_at',
    ],
  ],
])

/** More changed rows of one statement count as a change of every table. */
const MAX_ROWS = 1000

/** The name under which one row is recorded. */
export function rowName(table: string, id: number): string {
  return `${table}:${id}`
}

/** The name under which the rows of a table without their counts are recorded. */
export function nameWithoutCounts(table: string): string {
  return `${table} without counts`
}

/** The columns of a table that are counts; undefined if the table changes as a whole. */
export function countsOf(table: string): readonly string[] | undefined {
  return TABLES.get(table)
}

/**
 * Collects the rows that statements change, also by triggers and foreign keys. Temporary triggers of the connection
 * report them, so that other programs can still open the file.
 */
export class RowChanges {
  #names = new Set<string>()

  constructor(sqlite: BetterSqlite3.Database) {
    sqlite.function('row_changed', (table, id) => {
      this.#add(String(table), rowName(String(table), Number(id)))
      return null
    })
    sqlite.function('more_than_counts_changed', (table) => {
      this.#add(String(table), nameWithoutCounts(String(table)))
      return null
    })
    for (const [table, counts] of TABLES) {
      const columns = sqlite.pragma(`main.table_info(${table})`) as { name: string }[]
      if (columns.length > 0)
        reportChanges(sqlite, table, { columns: columns.map(({ name }) => name), counts })
    }
  }

  #add(table: string, name: string): void {
    if (this.#names.size <= MAX_ROWS) this.#names.add(table).add(name)
  }

  /** Replaces the tables of this file by the rows of them that changed since the last call. */
  take(tables: Tables): Tables {
    const names = this.#names
    if (names.size > 0) this.#names = new Set()
    if (tables === 'every' || names.size > MAX_ROWS) return 'every'
    if (!tables.some((table) => TABLES.has(table))) return tables
    return [...tables.filter((table) => !TABLES.has(table)), ...names]
  }
}

function reportChanges(
  sqlite: BetterSqlite3.Database,
  table: string,
  { columns, counts }: { columns: readonly string[]; counts: readonly string[] },
): void {
  const trigger = (name: string, event: string, report: string): void => {
    sqlite.exec(
      `CREATE TEMP TRIGGER ${table}_${name} AFTER ${event} ON main.${table} BEGIN SELECT ${report}; END`,
    )
  }
  const more = `more_than_counts_changed('${table}')`
  const others = columns.filter((column) => !counts.includes(column))
  trigger('inserted', 'INSERT', `row_changed('${table}', new.id), ${more}`)
  trigger('deleted', 'DELETE', `row_changed('${table}', old.id), ${more}`)
  trigger('updated', 'UPDATE', `row_changed('${table}', new.id)`)
  trigger('more_updated', `UPDATE OF ${others.join(', ')}`, more)
}
