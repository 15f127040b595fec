import type { Owner } from '../../../relations/relation.ts'

/** What a column takes. */
export type Value = string | number | boolean | null

/** What the thread is to do. */
export interface Order {
  readonly database: string
  readonly owner: Owner
  /** `<folder>/<relation>.ndjson` are the relations, `<folder>.json` is what the owner itself is. */
  readonly folder: string
  /** A `project.json` of the older layout, which holds everything; null where there is none. */
  readonly nested: string | null
  /** Names of the relations, in their order. */
  readonly relations: readonly string[]
  readonly importer: { readonly id: number; readonly is_admin: boolean; readonly owns_root_group: boolean }
  readonly ghost_id: number
  readonly now: string
  /** What is said instead of the attributes of the archive. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Records whose number (iid) is there already are passed over. */
  readonly skip_existing: boolean
  /** Where the answer to a question for ids is put: a flag (Int32) and a number (Float64). */
  readonly answers: SharedArrayBuffer
}

/** A prepared statement that operations name by their number. */
export interface Statement {
  readonly sql: string
  readonly table: string
  /** `insert`: its first value is the id of the row, by which it can be taken back. */
  readonly kind: 'insert' | 'link' | 'update'
}

/** Where something stands in the archive. */
export interface Origin {
  readonly relation: string
  /** From 1. */
  readonly line: number
}

/** Something that could not be taken over. */
export interface ImportFailure extends Origin {
  readonly exception_class: string
  readonly exception_message: string
}

/** Rows to be written, record by record. Flat, because the main thread pays for taking them out of the message. */
export interface Batch {
  readonly kind: 'batch'
  /** Statements that are new with this batch; they are numbered from 0, in the order in which they came. */
  readonly statements: readonly Statement[]
  /** The statement of each operation, and its values. */
  readonly operations: readonly number[]
  readonly values: readonly (readonly Value[])[]
  /** Where each record ends in them. */
  readonly ends: readonly number[]
  readonly origins: readonly Origin[]
  readonly failures: readonly ImportFailure[]
}

/** What the thread says. */
export type Report =
  | Batch
  /** It waits for so many ids of a table, in a row. */
  | { readonly kind: 'ids'; readonly table: string; readonly count: number }
  | { readonly kind: 'progress'; readonly relation: string; readonly done: number; readonly total: number }
  /** Something in our own code went wrong with a record; for the log. */
  | { readonly kind: 'surprise'; readonly origin: Origin; readonly stack: string }
  | { readonly kind: 'done'; readonly counts: Counts; readonly numbers: Numbers }
  | { readonly kind: 'failed'; readonly sentence: string; readonly stack: string; readonly expected: boolean }

/** Records by relation: how many were read, and how many of them gave rows. */
export type Counts = Readonly<Record<string, { readonly fetched: number; readonly imported: number }>>

/** The highest number that was given to a thing of the owner. */
export type Numbers = Readonly<Partial<Record<'issues' | 'merge_requests' | 'milestones', number>>>
