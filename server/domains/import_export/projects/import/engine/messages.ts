import type { Owner, Value } from '../../../relations/relation.ts'

/** The task of the thread. */
export interface ImportTask {
  readonly database: string
  readonly owner: Owner
  /** `<folder>/<relation>.ndjson` are the relations, `<folder>.json` has the owner's own attributes. */
  readonly folder: string
  /** A `project.json` of the older layout, which contains all relations; null if there is none. */
  readonly nested: string | null
  /** Names of the relations, in their order. */
  readonly relations: readonly string[]
  readonly importer: { readonly id: number; readonly is_admin: boolean; readonly owns_root_group: boolean }
  readonly ghost_id: number
  readonly now: string
  /** Attributes that override those of the archive. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Whether records are skipped if the project already has their number (iid). */
  readonly skip_existing: boolean
  /** Shared memory for the answers to requests for IDs: a flag (Int32) and a number (Float64). */
  readonly answers: SharedArrayBuffer
}

/** A prepared statement, to which operations refer by number. */
export interface Statement {
  readonly sql: string
  readonly table: string
  /** The first value of an `insert` is the ID of the row, so that the row can be deleted again. */
  readonly kind: 'insert' | 'link' | 'update'
}

/** The position of a record in the archive. */
export interface Origin {
  readonly relation: string
  /** Line number, from 1. */
  readonly line: number
}

/** A record or part that could not be imported. */
export interface ImportFailure extends Origin {
  readonly exception_class: string
  readonly exception_message: string
}

/** Rows to write, record by record. The lists are flat, because the main thread has to decode the message. */
export interface Batch {
  /** New statements. Operations refer to the statements of all batches, numbered from 0. */
  readonly statements: readonly Statement[]
  /** The statement of each operation, and its values. */
  readonly operations: readonly number[]
  readonly values: readonly (readonly Value[])[]
  /** The index in `operations` at which each record ends. */
  readonly ends: readonly number[]
  readonly origins: readonly Origin[]
  readonly failures: readonly ImportFailure[]
}

export type Report =
  /** The thread requests this number of consecutive IDs of a table. */
  | { readonly kind: 'ids'; readonly table: string; readonly count: number }
  | { readonly kind: 'progress'; readonly relation: string; readonly done: number; readonly total: number }
  /** A defect of the import showed in a record. For the log. */
  | { readonly kind: 'unexpected_error'; readonly origin: Origin; readonly stack: string }

/** Messages of the thread. It sends batches, and the main thread confirms each one after writing it. */
export interface ImportWork {
  readonly task: ImportTask
  readonly result: { readonly counts: Counts; readonly numbers: Numbers }
  readonly report: Report
  readonly question: Batch
  readonly answer: void
}

/** Numbers of records by relation: how many were read, and how many were imported. */
export type Counts = Readonly<Record<string, { readonly fetched: number; readonly imported: number }>>

/** The highest numbers (iids) of the imported records. */
export type Numbers = Readonly<Partial<Record<'issues' | 'merge_requests' | 'milestones', number>>>
