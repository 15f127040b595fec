import { LRUCache } from 'lru-cache'

import type { Tables } from './statement-tables.ts'

/** Watches what is read, from its beginning to its end. */
export interface ReadWatch {
  /** The generation at which it began. */
  readonly since: number
  /** Adds what was read before it began; `every` for what is in no table. */
  add(tables: Tables): void
  /** Stops watching and returns what was read; a second call returns the same. */
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
 * Knows when each table changed, and watches what is read meanwhile. A value that was computed from some tables is right for
 * as long as none of them changes.
 */
export class Changes {
  #generation = 0
  /** The last change of unknown tables. */
  #everyAt = 0
  readonly #changedAt = new Map<string, number>()
  readonly #watching = new Set<Watched>()
  /** What changed since the last `count`. */
  #pending: Watched = { names: new Set(), every: false }

  /** Grows with every change. */
  get generation(): number {
    return this.#generation
  }

  get isWatching(): boolean {
    return this.#watching.size > 0
  }

  /** Notes that a statement read tables. */
  read(tables: Tables): void {
    for (const watched of this.#watching) note(watched, tables)
  }

  /** Notes that a statement changed tables; it counts with the next `count`. */
  changed(tables: Tables): void {
    note(this.#pending, tables)
  }

  /** One change: a statement of its own, or a transaction. */
  count(): void {
    this.#generation++
    if (this.#pending.every) this.#everyAt = this.#generation
    for (const name of this.#pending.names) this.#changedAt.set(name, this.#generation)
    this.forget()
  }

  /** Forgets what was noted, because nothing that is kept depends on it. */
  forget(): void {
    this.#pending = { names: new Set(), every: false }
  }

  /** Watches all reads until it ends, also those of other requests in between: too many tables do no harm. */
  watch(): ReadWatch {
    const watched: Watched = { names: new Set(), every: false }
    this.#watching.add(watched)
    return {
      since: this.#generation,
      add: (tables) => note(watched, tables),
      end: () => {
        this.#watching.delete(watched)
        // What was read before may be in the value, so a value without reads depends on everything.
        return watched.every || watched.names.size === 0 ? 'every' : [...watched.names]
      },
    }
  }

  /** True when none of the tables changed after a generation. */
  isUnchanged(tables: Tables, since: number): boolean {
    if (since === this.#generation) return true
    if (tables === 'every' || this.#everyAt > since) return false
    return !tables.some((name) => (this.#changedAt.get(name) ?? 0) > since)
  }
}

const MOST_REMEMBERED = 20_000

interface RememberedValue {
  readonly value: unknown
  /** The tables that it was computed from. */
  readonly reads: Tables
  /** The generation at which it was known to be right. */
  since: number
}

/** How long a value stays: until anything is written, or until a table changes that it was computed from. */
export type Until = 'next_write' | 'tables_change'

/** Values computed from the database. Keys are unique, whichever way their values stay. */
export class Remembered {
  readonly #entries = new LRUCache<string, RememberedValue>({ max: MOST_REMEMBERED })
  readonly #changes: Changes

  constructor(changes: Changes) {
    this.#changes = changes
  }

  /** The value of a key; computes it when there is none that is still right. */
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
