import type { Reader } from '../../../db/reader.ts'

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
/** The fields of a record, which is one line of a file in the tree of an archive. */
export type Fields = { readonly [key: string]: Json }

/** The project or group that owns the records. */
export interface Owner {
  readonly kind: 'project' | 'group'
  readonly id: number
}

/** Reads the repository, for the relations that contain data of git. */
export interface CodeReader {
  /**
   * The diffs of pairs of commits (full SHAs), in the order of the pairs; null if a commit is missing. One git process
   * reads all of them.
   */
  diffs(pairs: Iterable<readonly [from: string, to: string]>): AsyncIterable<VersionDiff | null>
  /** The data of commits (full SHAs), in the order of the IDs; null for a missing commit. */
  commits(ids: Iterable<string>): AsyncIterable<VersionCommit | null>
}

/** A commit of a version. Its times are ISO 8601. */
export interface VersionCommit {
  readonly message: string
  readonly authored_date: string
  readonly committed_date: string
  readonly author_name: string
  readonly author_email: string
  readonly committer_name: string
  readonly committer_email: string
}

/** The files that differ between two commits, with their patches as git prints them (without headers). */
export interface VersionDiff {
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
  /** Whether the exporter may see the members of ancestor groups. */
  readonly includesGroupMembers: boolean
  /** Base URL of this instance, without a trailing slash. */
  readonly url: string
}

/** The user of this instance for an account of an archive. */
export interface Person {
  readonly id: number
  /** Whether the user was found. Otherwise `id` is that of the importer. */
  readonly isMatched: boolean
}

/** The value of a column. */
export type Value = string | number | boolean | null

/** The columns of a row to write. Other columns get their defaults. */
export type Row = Readonly<Record<string, Value>>

/**
 * The target of imported records. An import runs in a thread and queues rows. The main thread writes them later, all
 * rows of a record or none. `db` does not contain queued rows, so `remember` is for their IDs.
 */
export interface Target {
  readonly owner: Owner
  /** The database, without the rows of this import that are not written yet. */
  readonly db: Reader
  /** The time of the import, ISO 8601, for missing times. */
  readonly now: string
  /** The importing user. */
  readonly importer_id: number
  /** Permissions of the importer that decide what is imported (spec administration 6.5). */
  readonly importer: { readonly is_admin: boolean; readonly owns_root_group: boolean }
  /** Queues a row with a new ID and returns the ID. */
  insert(table: string, row: Row): number
  /** Queues a row of a table without IDs. An existing row does not change. */
  link(table: string, row: Row): void
  /** Queues a change of a row. */
  update(table: string, id: number, row: Row): void
  /** The user for an ID of the archive (spec administration 6.5), or the importer if there is no ID or no such user. */
  person(id: Json | undefined): Person
  /** The ghost user, who replaces deleted users. */
  readonly ghost_id: number
  /**
   * The ID of a label of the owner or its ancestor groups. It is found by title or created. Null for an invalid record.
   */
  label(record: Json | undefined): number | null
  /**
   * The ID of a milestone of the owner or its ancestor groups. It is found by title or created. Null for an invalid
   * record.
   */
  milestone(record: Json | undefined): number | null
  /**
   * Stores an ID for later records, by the key that the archive uses (iid, title, SHA or name): `remember('issue', iid,
   * id)`.
   */
  remember(kind: string, key: string | number, id: number): void
  /** The ID that `remember` stored; undefined if there is none. */
  recall(kind: string, key: string | number): number | undefined
  /** Records that a nested record (such as a note) could not be imported. The rest of the current record is imported. */
  skip(relation: string, problem: unknown): void
}

/** A record that cannot be imported. The message becomes an entry of `failed_relations`. */
export class UnusableRecord extends Error {
  /** The exception class in the entry, which clients know from GitLab, such as `ActiveRecord::RecordInvalid`. */
  readonly exceptionClass: string

  constructor(sentence: string, exceptionClass = 'ActiveRecord::RecordInvalid') {
    super(sentence)
    this.name = 'UnusableRecord'
    this.exceptionClass = exceptionClass
  }
}

/** One relation of a project or group, with the export and import of its records. */
export interface Relation {
  readonly name: string
  /** The kinds of owners that have such a relation. */
  readonly ownerKinds: readonly Owner['kind'][]
  /** Whether the relation has at most one record. Its line is `null` if there is none. */
  readonly single?: boolean
  /** The records in a stable order. An iterator, to limit memory use. Asynchronous if it reads the repository. */
  records(source: Source): Iterable<Fields> | AsyncIterable<Fields>
  /** The approximate number of records, for progress. */
  count(source: Source): number
  /**
   * Imports one record. Its content is untrusted, so types, lengths, IDs and enumerations are validated
   * (`./checked.ts`). Throws UnusableRecord.
   */
  importRecord(record: Fields, target: Target): void
}

/** Declares a relation. */
export function relation(definition: Relation): Relation {
  return definition
}

/** Imports nested records one by one. Records an invalid one as a failure and continues with the next. */
export function importEach(
  target: Target,
  relation: string,
  records: readonly Fields[],
  importNested: (record: Fields) => void,
): void {
  for (const record of records) {
    try {
      importNested(record)
    } catch (error) {
      target.skip(relation, error)
    }
  }
}
