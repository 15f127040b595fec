import { dayOf, flagOf, choiceOf, requiredText, shaOf, textOf, timeOf, integerOf } from './checked.ts'
import type { Fields, Json, Row, Source, Target, Value } from './relation.ts'
import { countOf, rowsOf } from './store.ts'

// A relation has one column map for both directions: for the fields of exported records and the columns of imported
// rows.

/** A stored row, as `SELECT *` returns it. */
export type StoredRow = Readonly<Record<string, Value>>

/** One field of a record. */
export interface Field<R extends StoredRow = StoredRow> {
  /** The value in the record; undefined omits the field. */
  write(row: R, source: Source, name: string): Json | undefined
  /** Converts the field to columns of a row. Throws UnusableRecord. Missing if imports ignore the field. */
  read?(record: Fields, target: Target, name: string): Row
}

/** The fields of a relation's records, in their order. */
export type ColumnMap<R extends StoredRow = StoredRow> = Readonly<Record<string, Field<R>>>

/** Converts a row to a record. */
export function recordOf<R extends StoredRow>(map: ColumnMap<R>, row: R, source: Source): Fields {
  const record: Record<string, Json> = {}
  for (const [name, field] of Object.entries(map)) {
    const value = field.write(row, source, name)
    if (value !== undefined) record[name] = value
  }
  return record
}

/** Converts a record to columns of a row. Throws UnusableRecord. */
export function columnsOf<R extends StoredRow>(map: ColumnMap<R>, record: Fields, target: Target): Row {
  const columns: Record<string, Value> = {}
  for (const [name, field] of Object.entries(map)) Object.assign(columns, field.read?.(record, target, name))
  return columns
}

/**
 * `records` and `count` of a relation with one record for each row of a table. `owner` is the column of their project
 * or group.
 */
export function rowsAs<R extends StoredRow>(
  table: string,
  map: ColumnMap<R>,
  owner?: (source: Source) => string,
) {
  return {
    *records(source: Source): Generator<Fields> {
      for (const row of rowsOf<R>(source, table, owner?.(source))) yield recordOf(map, row, source)
    },
    count: (source: Source): number => countOf(source, table, owner?.(source)),
  }
}

/** A field for the column with the same name. `read` converts the field of a record. */
export function column(read: (record: Fields, name: string, target: Target) => Value): Field {
  return {
    write: (row, _source, name) => row[name]!,
    read: (record, target, name) => ({ [name]: read(record, name, target) }),
  }
}

/** A text of at most `max` characters; `fallback` if there is none. */
export const text = (max?: number, fallback: string | null = null): Field =>
  column((record, name) => textOf(record, name, max) ?? fallback)

/** A text that must not be blank. */
export const required = (max: number): Field => column((record, name) => requiredText(record, name, max))

/** An integer within the bounds; `fallback` if there is none. */
export const integer = (bounds: { min?: number; max?: number } = {}, fallback: number | null = null): Field =>
  column((record, name) => integerOf(record, name, bounds) ?? fallback)

/** A boolean; false if there is none. */
export const flag = (): Field => column((record, name) => flagOf(record, name))

/** A boolean or null. */
export const optionalFlag = (): Field =>
  column((record, name) => (typeof record[name] === 'boolean' ? flagOf(record, name) : null))

/** One of several words; `fallback` for other values. */
export const choice = <const Word extends string>(words: readonly Word[], fallback: NoInfer<Word>): Field =>
  column((record, name) => choiceOf(record, name, words, fallback))

export const day = (): Field => column(dayOf)
export const time = (): Field => column(timeOf)
export const sha = (): Field => column(shaOf)

/** A time; the time of the import if there is none. */
export const timeOrNow = (): Field => column((record, name, target) => timeOf(record, name) ?? target.now)

/** The time `updated_at`. Default is `created_at` or the time of the import. */
export const updatedAt = (): Field =>
  column((record, name, target) => timeOf(record, name) ?? timeOf(record, 'created_at') ?? target.now)

/** A user. The importer replaces users that are not found on this instance. */
export const person = (): Field => column((record, name, target) => target.person(record[name]).id)

/** A user, or null if the record has none. */
export const optionalPerson = (): Field => column((record, name, target) => personIn(record, name, target))

/** The ID of the user for the ID in a field; null if there is none. */
export function personIn(record: Fields, name: string, target: Target): number | null {
  const id = record[name]
  return typeof id === 'number' ? target.person(id).id : null
}

/** A field for a column with another name. */
export function otherColumn(name: string, field: Field): Field {
  return {
    write: (row, source) => field.write(row, source, name),
    read: (record, target, fieldName) => ({
      [name]: field.read?.(record, target, fieldName)[fieldName] ?? null,
    }),
  }
}

/** A field that imports ignore if it is missing in the record. */
export function ifPresent(field: Field): Field {
  return {
    ...field,
    read: (record, target, name) => (name in record ? field.read!(record, target, name) : {}),
  }
}

/** A field that imports ignore if it is missing or null in the record. */
export function ifNotNull(field: Field): Field {
  return {
    ...field,
    read: (record, target, name) => {
      const columns = field.read!(record, target, name)
      return Object.values(columns).every((value) => value === null) ? {} : columns
    },
  }
}

/** A field that is only exported, from a column. Default is the column with the same name. */
export const exported = (columnName?: string): Field => ({
  write: (row, _source, name) => row[columnName ?? name]!,
})

/** A field that is only exported, with a computed value. */
export const computed = <R extends StoredRow>(
  write: (row: R, source: Source) => Json | undefined,
): Field<R> => ({
  write,
})

/** A field that is only exported, with a constant value. */
export const constant = (value: Json): Field => ({ write: () => value })

/** A field that is only exported, with the ID of the project or group. */
export const ownerId = (): Field => ({ write: (_row, source) => source.owner.id })

/** The numbers of visibilities in archives. */
export const VISIBILITY_NUMBERS: Readonly<Record<string, number>> = { private: 0, internal: 10, public: 20 }
