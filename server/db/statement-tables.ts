import type BetterSqlite3 from 'better-sqlite3'

import { hasRowNames } from './row-changes.ts'

/**
 * The tables that a statement uses, and rows of tables (`projects:5`, see `row-changes.ts`); `every` if they cannot be
 * determined.
 */
export type Tables = readonly string[] | 'every'

/** The tables that a statement reads and writes, triggers and foreign keys included. */
export interface Touched {
  readonly reads: Tables
  readonly writes: Tables
  /** The table, if the statement reads only the row of this table whose `id` is its parameter. */
  readonly rowOf?: string
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

/** Finds the tables of statements in their bytecode, as `EXPLAIN` prints it. The statements are not run. */
export class StatementTables {
  readonly #sqlite: BetterSqlite3.Database
  #names = new Map<number, string>()
  /** Matches the name of a virtual table with content, and of a view, which may contain one. */
  #virtual: RegExp | undefined

  constructor(sqlite: BetterSqlite3.Database) {
    this.#sqlite = sqlite
  }

  /** @param count the number of parameters of the statement. */
  of(sql: string, count: number): Touched {
    const nulls = Array.from({ length: count }, () => null)
    const program = this.#sqlite.prepare<null[], Instruction>(`EXPLAIN ${sql}`).iterate(...nulls)
    const reads = new Set<string>()
    const writes = new Set<string>()
    let length = 0
    for (const { opcode, p1, p2, p3 } of program) {
      if (++length > MAX_INSTRUCTIONS) return TOUCHES_EVERY
      if (opcode === 'VOpen') {
        if (this.#namesVirtualTable(sql)) reads.add(VIRTUAL)
      } else if (opcode === 'VUpdate') writes.add(VIRTUAL)
      else if (
        opcode === 'OpenRead' ||
        opcode === 'ReopenIdx' ||
        opcode === 'OpenWrite' ||
        opcode === 'Clear'
      ) {
        const isClear = opcode === 'Clear'
        const name = (isClear ? p2 : p3) === 0 ? this.#nameOf(isClear ? p1 : p2) : undefined
        if (name === undefined) return TOUCHES_EVERY
        const touched = opcode === 'OpenWrite' || isClear ? writes : reads
        touched.add(name)
      }
    }
    const touched = { reads: [...reads, ...writes], writes: [...writes] }
    const rowOf = ONE_ROW.exec(sql)?.[1]
    const isOneRow = rowOf !== undefined && hasRowNames(rowOf) && touched.reads.join() === rowOf
    return isOneRow ? { ...touched, rowOf } : touched
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

  /** The table with a root page. The root page of an index gives the table of the index. */
  #nameOf(page: number): string | undefined {
    if (!this.#names.has(page)) {
      const rows = this.#sqlite
        .prepare<[], { page: number; name: string }>(
          'SELECT rootpage AS page, tbl_name AS name FROM sqlite_schema WHERE rootpage > 0',
        )
        .all()
      this.#names = new Map([...rows.map(({ page, name }) => [page, name] as const), [1, 'sqlite_schema']])
    }
    return this.#names.get(page)
  }
}
