import type { Reader } from '../../../db/reader.ts'

/** A record of an archive: one line of a file of its tree. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type Fields = { readonly [key: string]: Json }

/** The project or group that the relations belong to. */
export interface Owner {
  readonly kind: 'project' | 'group'
  readonly id: number
}

/** Reads git, for the few relations that repeat what is in the repository. */
export interface CodeReader {
  /**
   * The diffs of many pairs of commits (full ids), in the requested sequence; null if a commit is missing. One git process
   * reads them all.
   */
  diffs(pairs: Iterable<readonly [from: string, to: string]>): AsyncIterable<DiffOfPair | null>
  /** The data of many commits (full ids), in the same way. */
  commits(ids: Iterable<string>): AsyncIterable<CommitOfDiff | null>
}

/** A commit of a version. Times are ISO 8601. */
export interface CommitOfDiff {
  readonly message: string
  readonly authored_date: string
  readonly committed_date: string
  readonly author_name: string
  readonly author_email: string
  readonly committer_name: string
  readonly committer_email: string
}

/** The files that differ between two commits, with their patches as git prints them (without headers). */
export interface DiffOfPair {
  readonly files: readonly {
    readonly old_path: string
    readonly new_path: string
    readonly a_mode: string
    readonly b_mode: string
    readonly new_file: boolean
    readonly renamed_file: boolean
    readonly deleted_file: boolean
    readonly too_large: boolean
    readonly binary: boolean
    readonly diff: string
  }[]
}

/** The source of records: a snapshot of the database. */
export interface Source {
  readonly db: Reader
  readonly owner: Owner
  readonly code: CodeReader
  /** True if the exporter may see the members of groups above. */
  readonly includesGroupMembers: boolean
  /** Base address of this instance, without a trailing slash. */
  readonly url: string
}

/** An account of an archive, as an account of this instance. */
export interface Person {
  readonly id: number
  /** False if no account was found and the importer replaces it. */
  readonly known: boolean
}

/** The value of a column. */
export type Value = string | number | boolean | null

/** A row to be written; columns that it does not name get their defaults. */
export type Row = Readonly<Record<string, Value>>

/**
 * The target of records. An import runs in a thread and queues rows. The main thread writes them later, all rows of one record
 * or none. `db` does not contain queued rows: use `remember` for their ids.
 */
export interface Target {
  readonly owner: Owner
  /** The database as it was when the import began. */
  readonly db: Reader
  /** The time of the import, ISO 8601, for times that the archive leaves out. */
  readonly now: string
  /** The account that imports. */
  readonly importer_id: number
  /** Permissions of the importer that decide what is imported (spec administration 6.5). */
  readonly importer: { readonly is_admin: boolean; readonly owns_root_group: boolean }
  /** Queues a row with a new id and returns the id. */
  insert(table: string, row: Row): number
  /** Queues a row without an id. An existing row does not change. */
  link(table: string, row: Row): void
  /** Queues a change of a row. */
  update(table: string, id: number, row: Row): void
  /** The account of an id of the archive (spec administration 6.5); the importer if none is named or found. */
  person(id: Json | undefined): Person
  /** The account that replaces deleted accounts. */
  readonly ghost_id: number
  /** The id of a label of the owner or its ancestor groups, found by title or created. Null for an invalid record. */
  label(record: Json | undefined): number | null
  /** The id of a milestone, in the same way. */
  milestone(record: Json | undefined): number | null
  /** Keeps an id for later records: `remember('issue', iid, id)`. Keys are those of the archive (iid, title, sha, name). */
  remember(kind: string, key: string | number, id: number): void
  recall(kind: string, key: string | number): number | undefined
  /** Skips a part of the current record (a note, an emoji); the rest is imported. */
  skip(relation: string, problem: unknown): void
}

/** Rejects a record with a message, which becomes an entry of `failed_relations`. */
export class UnusableRecord extends Error {
  /** The class in the entry, as clients know it from Ruby: `ActiveRecord::RecordInvalid`. */
  readonly exceptionClass: string

  constructor(sentence: string, exceptionClass = 'ActiveRecord::RecordInvalid') {
    super(sentence)
    this.name = 'UnusableRecord'
    this.exceptionClass = exceptionClass
  }
}

/** One relation of a project or group: how its records are exported and imported. */
export interface Relation {
  readonly name: string
  /** The owners that have such a relation. */
  readonly of: readonly Owner['kind'][]
  /** One line, `null` if there is no record. */
  readonly single?: boolean
  /** The records in a stable sequence, as an iterator to limit memory. Asynchronous if git is needed. */
  records(from: Source): Iterable<Fields> | AsyncIterable<Fields>
  /** The approximate number of records, for progress. */
  count(from: Source): number
  /**
   * Imports one record. Its content cannot be trusted: types, lengths, ids and enumerations are checked (`./checked.ts`). Throws
   * UnusableRecord.
   */
  importRecord(record: Fields, into: Target): void
}

/** Declares a relation. */
export function relation(declared: Relation): Relation {
  return declared
}

/** Imports the parts of a record one by one: a part that cannot be imported is left out, the others and the record continue. */
export function importEach(
  into: Target,
  part: string,
  records: readonly Fields[],
  importPart: (record: Fields) => void,
): void {
  for (const record of records) {
    try {
      importPart(record)
    } catch (error) {
      into.skip(part, error)
    }
  }
}
