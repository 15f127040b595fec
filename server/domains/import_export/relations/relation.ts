import type { Reader } from '../../../db/reader.ts'

/** A record of an archive: one line of a file of its tree. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
export type Fields = { readonly [key: string]: Json }

/** Whose relations these are. */
export interface Owner {
  readonly kind: 'project' | 'group'
  readonly id: number
}

/** What git says, for the few relations whose records repeat what is in the repository. */
export interface CodeReader {
  /**
   * The differences of many pairs of commits (full ids), one after the other, in the order asked; null where a commit is not
   * there. One process of git serves them all.
   */
  diffs(pairs: Iterable<readonly [from: string, to: string]>): AsyncIterable<DiffOfPair | null>
  /** What git knows of many commits (full ids), in the same way. */
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

/** Where records are read from: a moment of the database that does not change while it is read. */
export interface Source {
  readonly db: Reader
  readonly owner: Owner
  readonly code: CodeReader
  /** Whoever exports may see the members that come from groups above. */
  readonly includesGroupMembers: boolean
  /** Base address of this instance, without a slash at its end. */
  readonly url: string
}

/** Somebody of an archive, as an account here. */
export interface Person {
  readonly id: number
  /** False where nobody was found and whoever imports stands in. */
  readonly known: boolean
}

/** A row to be written; what is not named gets its default. */
export type Row = Readonly<Record<string, string | number | boolean | null>>

/**
 * Where records are taken to. Rows are only put in line here (this is a thread; the main one writes them, soon after, all rows
 * of one record in one transaction or none). So what was put in line cannot be asked back from `db`: `remember` it.
 */
export interface Target {
  readonly owner: Owner
  /** What was there when the import began; rows of this import are not in it. */
  readonly db: Reader
  /** The time of the import, ISO 8601, for what the archive leaves out. */
  readonly now: string
  /** The account that imports. */
  readonly importer_id: number
  /** Rights of the importer that decide what is kept (spec administration 6.5). */
  readonly importer: { readonly is_admin: boolean; readonly owns_root_group: boolean }
  /** Puts a row with an id of its own in line, and says which id it gets. */
  insert(table: string, row: Row): number
  /** Puts a row without an id of its own in line; one that is there already is left alone. */
  link(table: string, row: Row): void
  /** Puts a change of a row in line, one of this import or one that was there. */
  update(table: string, id: number, row: Row): void
  /** Who an id of the archive is here (spec administration 6.5); whoever imports where nobody is found or none is named. */
  person(id: Json | undefined): Person
  /** The ghost: who stands for people that are gone. */
  readonly ghost_id: number
  /** The label of a record, by its title: of this owner, of the groups above, or made. Null for what is no label. */
  label(record: Json | undefined): number | null
  /** The milestone of a record, by its title, in the same way. */
  milestone(record: Json | undefined): number | null
  /** Keeps an id for later records: `remember('issue', iid, id)`. Keys are those of the archive (iid, title, sha, name). */
  remember(kind: string, key: string | number, id: number): void
  recall(kind: string, key: string | number): number | undefined
  /** A part of the present record (a note, an emoji) could not be taken over; the rest of it goes on. */
  skip(relation: string, problem: unknown): void
}

/** Why a record is not taken over, in a sentence; it becomes an entry of `failed_relations`. */
export class UnusableRecord extends Error {
  /** What the entry calls it, as clients of this API family know it from Ruby: `ActiveRecord::RecordInvalid`. */
  readonly exceptionClass: string

  constructor(sentence: string, exceptionClass = 'ActiveRecord::RecordInvalid') {
    super(sentence)
    this.name = 'UnusableRecord'
    this.exceptionClass = exceptionClass
  }
}

/** One relation of a project or group: how its records are written and read. The file's name is the relation's. */
export interface Relation {
  readonly name: string
  /** Of whom there is such a relation. */
  readonly of: readonly Owner['kind'][]
  /** One line, `null` where there is nothing, instead of a line for each row. */
  readonly single?: boolean
  /**
   * The records, one after the other, in an order that does not change: iterates, so that memory does not grow with them. May be
   * asynchronous where git is asked.
   */
  records(from: Source): Iterable<Fields> | AsyncIterable<Fields>
  /** How many there are, for progress; about. */
  count(from: Source): number
  /**
   * Takes one record over. Everything in it is a stranger's: types, lengths, ids and enumerations are checked
   * (`./checked.ts`). Throws UnusableRecord.
   */
  take(record: Fields, into: Target): void
}

/** Declares a relation. */
export function relation(declared: Relation): Relation {
  return declared
}
