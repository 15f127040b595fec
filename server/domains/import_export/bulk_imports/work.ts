import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { cleaned } from '../imports/status.ts'
import { BulkImportChanged } from '../events.ts'
import { type SourceInstance, SourceProblem } from './source.ts'
import type { BulkImportRow, Cursor, EntityRow, EntityStats } from './state.ts'
import * as store from './store.ts'
import { clearFailures, failuresOf, type FailureOwner } from '../imports/store.ts'
import { firstSentence } from '../imports/target.ts'

/** Maximum number of failed records that are moved to the entity. The statistics count all of them. */
const MAX_FAILURES = 10_000

/** Moves failures of the import to the entity, where the user who started the run sees them. */
export function moveFailures(run: EntityRun, owner: FailureOwner): void {
  const { rows } = failuresOf(run.userCtx.db, owner, { limit: MAX_FAILURES, offset: 0 })
  run.fail(
    ...rows.map((row) => ({
      relation: row.relation_name ?? 'unknown',
      step: 'loader',
      exception_class: row.exception_class,
      exception_message: row.exception_message,
    })),
  )
  if ('group_id' in owner) tx(run.userCtx.db, () => clearFailures(run.userCtx.db, owner))
}

/**
 * Runs `work` for one relation. Records an error as a failure of the entity. Throws temporary errors, so that the step
 * runs again.
 */
export async function attemptRelation(
  run: EntityRun,
  relation: string,
  work: () => Promise<void>,
): Promise<void> {
  run.signal.throwIfAborted()
  try {
    await work()
  } catch (error) {
    run.signal.throwIfAborted()
    if (error instanceof SourceProblem && error.isTemporary) throw error
    run.userCtx.log.warn({ err: error, relation }, 'a relation of a group or project could not be migrated')
    const { name, message } = error as Error
    const exception_message = firstSentence(error) ?? message
    run.fail({ relation, step: 'extractor', exception_class: name, exception_message })
  }
}

/** A relation or record that could not be migrated. */
export interface RelationFailure {
  readonly relation: string
  readonly step: string
  readonly exception_class: string
  readonly exception_message: string
}

/** The running migration of one group or project, with its stored state. */
export class EntityRun {
  /** The context of the user who started the run. */
  readonly userCtx: Ctx
  /** The context with the current time. */
  readonly now: () => Ctx
  readonly run: BulkImportRow
  readonly source: SourceInstance
  readonly signal: AbortSignal
  #row: EntityRow

  constructor(input: {
    userCtx: Ctx
    now: () => Ctx
    run: BulkImportRow
    source: SourceInstance
    signal: AbortSignal
    row: EntityRow
  }) {
    this.userCtx = input.userCtx
    this.now = input.now
    this.run = input.run
    this.source = input.source
    this.signal = input.signal
    this.#row = input.row
  }

  get row(): EntityRow {
    return this.#row
  }

  get cursor(): Cursor {
    return this.#row.cursor as Cursor
  }

  /** Updates columns of the entity. */
  update(changes: Partial<EntityRow>): void {
    this.signal.throwIfAborted()
    const { now } = this.now()
    this.#row = tx(this.userCtx.db, () => store.updateEntity(this.userCtx.db, this.#row.id, changes, now))
  }

  /** Stores the position at which the migration continues after an interruption. */
  saveCursor(cursor: Cursor, changes: Partial<EntityRow> = {}): void {
    this.update({ ...changes, cursor })
    const { id, user_id, status } = this.run
    tx(this.userCtx.db, () =>
      publish(this.userCtx, BulkImportChanged, { bulk_import_id: id, actor_id: user_id, status }),
    )
  }

  /** Reads the entity again after another function has written it. */
  reload(): void {
    this.#row = store.entityById(this.userCtx.db, this.#row.id) ?? this.#row
  }

  addStats(stats: EntityStats): void {
    const counts = this.#row.stats as EntityStats
    this.update({ stats: { ...counts, ...stats } })
  }

  /** Stores failures. The migration continues. */
  fail(...failures: readonly RelationFailure[]): void {
    if (failures.length === 0) return
    this.update({ has_failures: true })
    const { now } = this.now()
    const { db, cause } = this.userCtx
    tx(db, () => {
      for (const failure of failures)
        store.insertFailure(db, {
          ...failure,
          exception_message: cleaned(failure.exception_message),
          entity_id: this.#row.id,
          correlation_id: cause?.uuid ?? null,
          source_url: null,
          source_title: null,
          created_at: now,
        })
    })
  }
}
