import { dayOf, flagOf, oneOf, requiredText, shaOf, textOf, timeOf, wholeOf } from './checked.ts'
import type { Fields, Json, Row, Source, Target, Value } from './relation.ts'
import { countOf, rowsOf } from './store.ts'

// One column map per relation serves both directions: fields of exported records and columns of imported rows.

/** A stored row, as `SELECT *` returns it. */
export type Stored = Readonly<Record<string, Value>>

/** One field of a record. */
export interface Field<R extends Stored = Stored> {
  /** The value in the record; undefined omits the field. */
  write(row: R, from: Source, name: string): Json | undefined
  /** Converts the field to columns of a row. Throws UnusableRecord. Fields without it are for other readers only. */
  read?(record: Fields, into: Target, name: string): Row
}

/** The fields of a relation, in the order of its records. */
export type ColumnMap<R extends Stored = Stored> = Readonly<Record<string, Field<R>>>

/** The record of a row. */
export function recordOf<R extends Stored>(map: ColumnMap<R>, row: R, from: Source): Fields {
  const record: Record<string, Json> = {}
  for (const [name, field] of Object.entries(map)) {
    const value = field.write(row, from, name)
    if (value !== undefined) record[name] = value
  }
  return record
}

/** The columns of a record. Throws UnusableRecord. */
export function columnsOf<R extends Stored>(map: ColumnMap<R>, record: Fields, into: Target): Row {
  const columns: Record<string, Value> = {}
  for (const [name, field] of Object.entries(map)) Object.assign(columns, field.read?.(record, into, name))
  return columns
}

/** The records of a relation that are rows of one table; `owner` is the column of their project or group. */
export function rowsAs<R extends Stored>(table: string, map: ColumnMap<R>, owner?: (from: Source) => string) {
  return {
    *records(from: Source): Generator<Fields> {
      for (const row of rowsOf<R>(from, table, owner?.(from))) yield recordOf(map, row, from)
    },
    count: (from: Source): number => countOf(from, table, owner?.(from)),
  }
}

/** A column under the field's name, which `read` takes from a record. */
export function column(read: (record: Fields, name: string, into: Target) => Value): Field {
  return {
    write: (row, _from, name) => row[name]!,
    read: (record, into, name) => ({ [name]: read(record, name, into) }),
  }
}

/** A text, at most `max` characters; null or `orElse` if there is none. */
export const text = (max?: number, orElse: string | null = null): Field =>
  column((record, name) => textOf(record, name, max) ?? orElse)

/** A text that must not be blank. */
export const required = (max: number): Field => column((record, name) => requiredText(record, name, max))

/** A whole number within the bounds; null or `orElse` if there is none. */
export const integer = (bounds: { min?: number; max?: number } = {}, orElse: number | null = null): Field =>
  column((record, name) => wholeOf(record, name, bounds) ?? orElse)

/** A boolean; false if there is none. */
export const flag = (): Field => column((record, name) => flagOf(record, name))

/** A boolean or null. */
export const maybeFlag = (): Field =>
  column((record, name) => (typeof record[name] === 'boolean' ? flagOf(record, name) : null))

/** One of a few words. */
export const choice = <const Word extends string>(words: readonly Word[], orElse: NoInfer<Word>): Field =>
  column((record, name) => oneOf(record, name, words, orElse))

export const day = (): Field => column(dayOf)
export const time = (): Field => column(timeOf)
export const sha = (): Field => column(shaOf)

/** A time; that of the import if there is none. */
export const timeOrNow = (): Field => column((record, name, into) => timeOf(record, name) ?? into.now)

/** `updated_at`; by default `created_at`, or the time of the import. */
export const updatedAt = (): Field =>
  column((record, name, into) => timeOf(record, name) ?? timeOf(record, 'created_at') ?? into.now)

/** An account; the importer replaces accounts that do not exist here. */
export const person = (): Field => column((record, name, into) => into.person(record[name]).id)

/** An account, or null if the record has none. */
export const maybePerson = (): Field => column((record, name, into) => personIn(record, name, into))

/** The account that a field names; null if it names none. */
export function personIn(record: Fields, name: string, into: Target): number | null {
  const id = record[name]
  return typeof id === 'number' ? into.person(id).id : null
}

/** Another column under this field. */
export function under(name: string, field: Field): Field {
  return {
    write: (row, from) => field.write(row, from, name),
    read: (record, into, own) => ({ [name]: field.read?.(record, into, own)[own] ?? null }),
  }
}

/** A field without effect if it is missing in the record. */
export function ifPresent(field: Field): Field {
  return { ...field, read: (record, into, name) => (name in record ? field.read!(record, into, name) : {}) }
}

/** A field without effect if it is missing or null in the record. */
export function ifNotNull(field: Field): Field {
  return {
    ...field,
    read: (record, into, name) => {
      const columns = field.read!(record, into, name)
      return Object.values(columns).every((value) => value === null) ? {} : columns
    },
  }
}

/** Exported from a column, by default the one with the same name; ignored by imports. */
export const shown = (from?: string): Field => ({ write: (row, _from, name) => row[from ?? name]! })

/** Exported only; ignored by imports. */
export const written = <R extends Stored>(write: (row: R, from: Source) => Json | undefined): Field<R> => ({
  write,
})

/** Exported as a constant; ignored by imports. */
export const always = (value: Json): Field => ({ write: () => value })

/** The id of the exported project or group. */
export const ownerId = (): Field => ({ write: (_row, from) => from.owner.id })

/** The numbers of visibilities in archives. */
export const VISIBILITY_NUMBERS: Readonly<Record<string, number>> = { private: 0, internal: 10, public: 20 }
