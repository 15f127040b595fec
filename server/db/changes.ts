import { LRUCache } from 'lru-cache'

import type { Tables } from './statement-tables.ts'

/** Records which tables are read, from the beginning of a computation to its end. */
export interface ReadWatch {
  /** The generation at the beginning. */
  readonly since: number
  /** Adds tables that were read before the beginning. `every` stands for data that is in no table. */
  add(tables: Tables): void
  /** Ends the recording and returns the tables that were read. A second call returns the same. */
  end(): Tables
}

interface Watched {
  readonly names: Set<string>
  every: boolean
}

function note(watched: Watched, tables: Tables): void {
  if (tables === 'every') watched.every = true
  else for (const name of tables) watched.names.add(name)
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
  readonly #watching = new Set<Watched>()
  /** The tables that changed since the last call of `count`. */
  #pending: Watched = { names: new Set(), every: false }

  /** The current generation, which grows with every change. */
  get generation(): number {
    return this.#generation
  }

  get isWatching(): boolean {
    return this.#watching.size > 0
  }

  /** Records that a statement read tables. */
  read(tables: Tables): void {
    for (const watched of this.#watching) note(watched, tables)
  }

  /** Records that a statement changed tables. The change takes effect with the next call of `count`. */
  changed(tables: Tables): void {
    note(this.#pending, tables)
  }

  /** Ends one change: a single statement, or a transaction. */
  count(): void {
    this.#generation++
    if (this.#pending.every) this.#everyAt = this.#generation
    for (const name of this.#pending.names) this.#changedAt.set(name, this.#generation)
    this.forget()
  }

  /** Forgets all recorded changes when no cached value depends on them. */
  forget(): void {
    this.#pending = { names: new Set(), every: false }
  }

  /**
   * Records all reads until `end`, also those of other requests in between. A table too many only makes a value expire
   * earlier.
   */
  watch(): ReadWatch {
    const watched: Watched = { names: new Set(), every: false }
    this.#watching.add(watched)
    return {
      since: this.#generation,
      add: (tables) => note(watched, tables),
      end: () => {
        this.#watching.delete(watched)
        // The value may depend on earlier reads, so a value without recorded reads depends on every table.
        return watched.every || watched.names.size === 0 ? 'every' : [...watched.names]
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

const MAX_REMEMBERED = 20_000

interface RememberedValue {
  readonly value: unknown
  /** The tables that the value was computed from. */
  readonly reads: Tables
  /** The generation at which the value was last valid. */
  since: number
}

/** How long a value stays valid: until anything is written, or until a table that it was computed from changes. */
export type Until = 'next_write' | 'tables_change'

/** Cached values that were computed from the database. A key is used only once, for either duration. */
export class Remembered {
  readonly #entries = new LRUCache<string, RememberedValue>({ max: MAX_REMEMBERED })
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
