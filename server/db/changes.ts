import { LRUCache } from 'lru-cache'

import { rowName } from './row-changes.ts'
import type { Tables } from './statement-tables.ts'

/** The number of tables and rows with a recorded last change. Beyond it, every table counts as changed. */
const MAX_NAMES = 20_000

/** Records which tables are read, from the beginning of a computation to its end. */
export interface ReadWatch {
  /** The generation at the beginning. */
  readonly since: number
  /** Adds tables that were read before the beginning. Pass `every` for data that is in no table. */
  add(tables: Tables): void
  /** Ends the recording and returns the tables that were read. A second call returns the same. */
  end(): Tables
}

interface TableSet {
  readonly names: Set<string>
  every: boolean
}

function addTables(recorded: TableSet, tables: Tables): void {
  if (tables === 'every') recorded.every = true
  else for (const name of tables) recorded.names.add(name)
}

/**
 * Records when each table changed and which tables are read. A value that was computed from some tables is valid as
 * long as none of them changes.
 */
export class Changes {
  #generation = 0
  /** The generation of the last change of unknown tables. */
  #everyAt = 0
  readonly #changedAt = new Map<string, number>()
  readonly #watching = new Set<TableSet>()
  /** The tables that changed since the last call of `count` or `forget`. */
  #pending: TableSet = { names: new Set(), every: false }

  /** The current generation, which grows with every change. */
  get generation(): number {
    return this.#generation
  }

  get isWatching(): boolean {
    return this.#watching.size > 0
  }

  /** Records that a statement read tables. */
  read(tables: Tables): void {
    for (const recorded of this.#watching) addTables(recorded, tables)
  }

  /** Records that a statement read one row of a table. */
  readRow(table: string, id: number): void {
    const name = rowName(table, id)
    for (const recorded of this.#watching) recorded.names.add(name)
  }

  /** Records that a statement changed tables and rows. The change takes effect with the next call of `count`. */
  changed(tables: Tables): void {
    addTables(this.#pending, tables)
  }

  /** Completes one change: a single statement, or a transaction. Its tables count as changed from now on. */
  count(): void {
    this.#generation++
    if (this.#pending.every) this.#everyAt = this.#generation
    for (const name of this.#pending.names) this.#changedAt.set(name, this.#generation)
    if (this.#changedAt.size > MAX_NAMES) {
      this.#changedAt.clear()
      this.#everyAt = this.#generation
    }
    this.forget()
  }

  /** Forgets the changes since the last call of `count`. Call it when no cached value depends on them. */
  forget(): void {
    this.#pending = { names: new Set(), every: false }
  }

  /**
   * Records all reads until `end`, also those of other requests in between. An unrelated table only makes a value expire
   * earlier.
   */
  watch(): ReadWatch {
    const recorded: TableSet = { names: new Set(), every: false }
    this.#watching.add(recorded)
    return {
      since: this.#generation,
      add: (tables) => addTables(recorded, tables),
      end: () => {
        this.#watching.delete(recorded)
        // The value may depend on earlier reads, so a value without recorded reads depends on every table.
        return recorded.every || recorded.names.size === 0 ? 'every' : [...recorded.names]
      },
    }
  }

  /** True when none of the tables changed since a generation. */
  isUnchanged(tables: Tables, since: number): boolean {
    if (since === this.#generation) return true
    if (tables === 'every' || this.#everyAt > since) return false
    return !tables.some((name) => (this.#changedAt.get(name) ?? 0) > since)
  }
}

const MAX_VALUES = 20_000

interface CachedValue {
  readonly value: unknown
  /** The tables that the value was computed from. */
  readonly reads: Tables
  /** The generation at which the value was last valid. */
  since: number
}

/** How long a value stays valid: until anything is written, or until a table that it was computed from changes. */
export type Until = 'next_write' | 'tables_change'

/** Cached values that were computed from the database. All calls for a key pass the same `until`. */
export class ValueCache {
  readonly #entries = new LRUCache<string, CachedValue>({ max: MAX_VALUES })
  readonly #changes: Changes

  constructor(changes: Changes) {
    this.#changes = changes
  }

  /** Returns the value of a key. Computes it when the cache has no valid one. */
  of<T>(key: string, compute: () => T, until: Until): T {
    const changes = this.#changes
    const hit = this.#entries.get(key)
    if (hit && changes.isUnchanged(until === 'next_write' ? 'every' : hit.reads, hit.since)) {
      hit.since = changes.generation
      if (changes.isWatching) changes.read(hit.reads)
      return hit.value as T
    }
    const watch = changes.watch()
    try {
      const value = compute()
      this.#entries.set(key, { value, reads: watch.end(), since: changes.generation })
      return value
    } finally {
      watch.end()
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}
