import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { cleaned } from '../imports/reasons.ts'
import { BulkImportChanged } from '../groups/events.ts'
import type { SourceInstance } from './source.ts'
import type { BulkImportRow, Cursor, EntityRow, EntityStats } from './state.ts'
import * as store from './store.ts'

/** What went wrong with a part of an entity. */
export interface PartFailure {
  readonly relation: string
  readonly step: string
  readonly exception_class: string
  readonly exception_message: string
}

/** What working on one group or project needs, and where its state is written down. */
export class EntityRun {
  /** In the name of whoever began the run. */
  readonly acting: Ctx
  /** The time as it is now. */
  readonly now: () => Ctx
  readonly run: BulkImportRow
  readonly source: SourceInstance
  readonly signal: AbortSignal
  #row: EntityRow

  constructor(given: {
    acting: Ctx
    now: () => Ctx
    run: BulkImportRow
    source: SourceInstance
    signal: AbortSignal
    row: EntityRow
  }) {
    this.acting = given.acting
    this.now = given.now
    this.run = given.run
    this.source = given.source
    this.signal = given.signal
    this.#row = given.row
  }

  get row(): EntityRow {
    return this.#row
  }

  get cursor(): Cursor {
    return JSON.parse(this.#row.cursor) as Cursor
  }

  /** Writes columns of the entity. */
  write(changes: Partial<EntityRow>): void {
    this.signal.throwIfAborted()
    const { now } = this.now()
    this.#row = tx(this.acting.db, () => store.updateEntity(this.acting.db, this.#row.id, changes, now))
  }

  /** Where it goes on after a restart. */
  go(cursor: Cursor, changes: Partial<EntityRow> = {}): void {
    this.write({ ...changes, cursor: JSON.stringify(cursor) })
    const { id, user_id, status } = this.run
    tx(this.acting.db, () =>
      publish(this.acting, BulkImportChanged, { bulk_import_id: id, actor_id: user_id, status }),
    )
  }

  /** Reads the entity anew, which somebody else has written. */
  reload(): void {
    this.#row = store.entityById(this.acting.db, this.#row.id) ?? this.#row
  }

  addStats(stats: EntityStats): void {
    const known = JSON.parse(this.#row.stats) as EntityStats
    this.write({ stats: JSON.stringify({ ...known, ...stats }) })
  }

  /** Notes what could not be taken over; the rest goes on. */
  fail(...failures: readonly PartFailure[]): void {
    if (failures.length === 0) return
    this.write({ has_failures: true })
    const { now } = this.now()
    const { db, cause } = this.acting
    tx(db, () => {
      for (const one of failures)
        store.insertFailure(db, {
          ...one,
          exception_message: cleaned(one.exception_message),
          entity_id: this.#row.id,
          correlation_id: cause?.uuid ?? null,
          source_url: null,
          source_title: null,
          created_at: now,
        })
    })
  }
}
