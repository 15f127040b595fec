import type { Owner, Value } from '../../../relations/relation.ts'

/** The task of the thread. */
export interface ImportTask {
  readonly database: string
  readonly owner: Owner
  /** `<folder>/<relation>.ndjson` are the relations, `<folder>.json` has the owner's own attributes. */
  readonly folder: string
  /** A `project.json` of the older layout, which holds everything; null if there is none. */
  readonly nested: string | null
  /** Names of the relations, in their order. */
  readonly relations: readonly string[]
  readonly importer: { readonly id: number; readonly is_admin: boolean; readonly owns_root_group: boolean }
  readonly ghost_id: number
  readonly now: string
  /** Attributes that override those of the archive. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Skips records with a number (iid) that the project has. */
  readonly skip_existing: boolean
  /** The answers to requests for ids: a flag (Int32) and a number (Float64). */
  readonly answers: SharedArrayBuffer
}

/** A prepared statement that operations name by their number. */
export interface Statement {
  readonly sql: string
  readonly table: string
  /** `insert`: its first value is the id of the row, by which it can be deleted again. */
  readonly kind: 'insert' | 'link' | 'update'
}

/** The position of a record in the archive. */
export interface Origin {
  readonly relation: string
  /** From 1. */
  readonly line: number
}

/** A record or part that could not be imported. */
export interface ImportFailure extends Origin {
  readonly exception_class: string
  readonly exception_message: string
}

/** Rows to be written, record by record. Flat, because the main thread has to decode the message. */
export interface Batch {
  /** Statements that are new with this batch; operations number all statements from 0. */
  readonly statements: readonly Statement[]
  /** The statement of each operation, and its values. */
  readonly operations: readonly number[]
  readonly values: readonly (readonly Value[])[]
  /** The end of each record in `operations`. */
  readonly ends: readonly number[]
  readonly origins: readonly Origin[]
  readonly failures: readonly ImportFailure[]
}

export type Report =
  /** The thread waits for this number of consecutive ids of a table. */
  | { readonly kind: 'ids'; readonly table: string; readonly count: number }
  | { readonly kind: 'progress'; readonly relation: string; readonly done: number; readonly total: number }
  /** An error of our own code in a record; for the log. */
  | { readonly kind: 'surprise'; readonly origin: Origin; readonly stack: string }

/** Messages of the thread. It sends batches; the main thread confirms each written batch. */
export interface ImportWork {
  readonly task: ImportTask
  readonly result: { readonly counts: Counts; readonly numbers: Numbers }
  readonly report: Report
  readonly question: Batch
  readonly answer: void
}

/** Records by relation: the number that were read, and the number that gave rows. */
export type Counts = Readonly<Record<string, { readonly fetched: number; readonly imported: number }>>

/** The highest numbers (iids) of the imported records. */
export type Numbers = Readonly<Partial<Record<'issues' | 'merge_requests' | 'milestones', number>>>
