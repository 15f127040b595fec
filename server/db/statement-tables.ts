import type BetterSqlite3 from 'better-sqlite3'

import type { Decode } from './decode.ts'
import { countsOf, nameWithoutCounts } from './row-changes.ts'

/**
 * The tables that a statement uses, and parts of tables (see `row-changes.ts`); `every` if they cannot be determined.
 */
export type Tables = readonly string[] | 'every'

/** The tables that a statement reads and writes, triggers and foreign keys included. */
export interface Touched {
  readonly reads: Tables
  readonly writes: Tables
  /** The table, if the statement reads only one row of it and the parameter is the `id` of the row. */
  readonly rowOf?: string
}

/** A prepared statement with the tables that it uses. */
export interface Statement extends BetterSqlite3.Statement<unknown[], unknown> {
  decode: Decode | undefined
  /** The text as the caller wrote it; `source` has hidden parameters. */
  readonly sql: string
  /** True after the first run for which its tables were needed. */
  isRepeated?: boolean
  touched?: Touched
}

export const TOUCHES_EVERY: Touched = { reads: 'every', writes: 'every' }

/**
 * All virtual tables count as one, because the bytecode of a statement does not name them. Functions such as `json_each`
 * are virtual tables too, but have no content of their own.
 */
const VIRTUAL = 'virtual tables'

/**
 * The limit for the length of the bytecode. Longer statements, such as deleting a project with everything that refers
 * to it, are rare and take long to explain.
 */
const MAX_INSTRUCTIONS = 2000

const ONE_ROW = /^\s*SELECT [^()]+ FROM (\w+) WHERE id = \?\s*$/i

interface Instruction {
  readonly opcode: string
  readonly p1: number
  readonly p2: number
  readonly p3: number
}

/** A table or an index in the file. */
interface Root {
  readonly table: string
  /** The positions of the columns that are counts; undefined for an index that may contain some. */
  readonly counts: ReadonlySet<number> | undefined
}

/** Finds the tables of statements in their bytecode, as `EXPLAIN` prints it. The statements are not run. */
export class StatementTables {
  readonly #sqlite: BetterSqlite3.Database
  #roots = new Map<number, Root>()
  /** Matches the name of a virtual table with content, and of a view, which may contain one. */
  #virtual: RegExp | undefined

  constructor(sqlite: BetterSqlite3.Database) {
    this.#sqlite = sqlite
  }

  /** @param count the number of parameters of the statement. */
  of(sql: string, count: number): Touched {
    const nulls = Array.from({ length: count }, () => null)
    const program = this.#sqlite.prepare<null[], Instruction>(`EXPLAIN ${sql}`).all(...nulls)
    if (program.length > MAX_INSTRUCTIONS) return TOUCHES_EVERY
    const reads = new Set<string>()
    const writes = new Set<string>()
    const opened = new Map<number, Root>()
    /** Tables of which a count is read. */
    const counted = new Set<string>()
    for (const { opcode, p1, p2, p3 } of program) {
      if (opcode === 'VUpdate') writes.add(VIRTUAL)
      else if (opcode === 'VOpen') {
        if (this.#namesVirtualTable(sql)) reads.add(VIRTUAL)
      } else if (
        opcode === 'OpenRead' ||
        opcode === 'ReopenIdx' ||
        opcode === 'OpenWrite' ||
        opcode === 'Clear'
      ) {
        const isClear = opcode === 'Clear'
        const root = (isClear ? p2 : p3) === 0 ? this.#rootAt(isClear ? p1 : p2) : undefined
        if (root === undefined) return TOUCHES_EVERY
        const isRead = opcode !== 'OpenWrite' && !isClear
        if (isRead) opened.set(p1, root)
        if (!isRead || root.counts === undefined) counted.add(root.table)
        const touched = isRead ? reads : writes
        touched.add(root.table)
      } else if (opcode === 'Column' || opcode === 'RowData') {
        const root = opened.get(p1)
        if (root && (opcode === 'RowData' || root.counts?.has(p2))) counted.add(root.table)
      }
    }
    const parts = [...reads].map((table) =>
      countsOf(table) && !counted.has(table) ? nameWithoutCounts(table) : table,
    )
    const rowOf = ONE_ROW.exec(sql)?.[1]
    const isOneRow = rowOf !== undefined && countsOf(rowOf) && reads.size === 1 && reads.has(rowOf)
    return {
      reads: [...parts, ...writes],
      writes: [...writes],
      ...(isOneRow && writes.size === 0 ? { rowOf } : {}),
    }
  }

  #namesVirtualTable(sql: string): boolean {
    if (!this.#virtual) {
      const rows = this.#sqlite
        .prepare<[], { name: string }>(
          "SELECT name FROM sqlite_schema WHERE type = 'view' OR sql LIKE 'CREATE VIRTUAL TABLE%'",
        )
        .all()
      this.#virtual = new RegExp(`\\b(?:${rows.map(({ name }) => name).join('|') || '(?!)'})\\b`, 'i')
    }
    return this.#virtual.test(sql)
  }

  /** The table or index with a root page. */
  #rootAt(page: number): Root | undefined {
    if (!this.#roots.has(page)) {
      const rows = this.#sqlite
        .prepare<[], { page: number; type: string; name: string; tbl_name: string; sql: string | null }>(
          'SELECT rootpage AS page, type, name, tbl_name, sql FROM sqlite_schema WHERE rootpage > 0',
        )
        .all()
      this.#roots = new Map(rows.map((row) => [row.page, this.#rootOf(row)]))
      this.#roots.set(1, { table: 'sqlite_schema', counts: new Set() })
    }
    return this.#roots.get(page)
  }

  #rootOf({
    type,
    name,
    tbl_name: table,
    sql,
  }: {
    type: string
    name: string
    tbl_name: string
    sql: string | null
  }): Root {
    const counts = countsOf(table)
    if (!counts) return { table, counts: new Set() }
    const pragma = type === 'table' ? `table_info(${name})` : `index_info(${name})`
    const columns = this.#sqlite.pragma(pragma) as { cid: number; name: string | null }[]
    const found = columns.filter((column) => column.name === null || counts.includes(column.name))
    if (type === 'table') return { table, counts: new Set(found.map(({ cid }) => cid)) }
    // The condition of a partial index may be about a count, and the order of an index depends on its columns.
    return { table, counts: found.length > 0 || / WHERE /i.test(sql ?? '') ? undefined : new Set() }
  }
}
