import type { Reader } from '../../../../../db/reader.ts'
import {
  UnusableRecord,
  type Fields,
  type Json,
  type Owner,
  type Person,
  type Row,
  type Target,
} from '../../../relations/relation.ts'
import type { Ids } from './ids.ts'
import type { Numbers, Order, Origin, Statement } from './messages.ts'
import type { Outgoing } from './outgoing.ts'
import { People } from './people.ts'
import { labelRow, MilestoneNumbers, milestoneRow, titleOf, Titles } from './planned.ts'

/** Tables whose rows have a number in their project. */
const NUMBERED = ['issues', 'merge_requests', 'milestones'] as const
const isNumbered = (table: string): table is (typeof NUMBERED)[number] =>
  NUMBERED.includes(table as (typeof NUMBERED)[number])

interface Means {
  readonly db: Reader
  readonly ids: Ids
  readonly outgoing: Outgoing
}

/** Where codecs put their rows: they wait in line for the main thread, each record by itself. */
export class LineTarget implements Target {
  readonly owner: Owner
  readonly db: Reader
  readonly now: string
  readonly importer_id: number
  readonly importer: Target['importer']
  readonly ghost_id: number
  readonly people: People
  /** What is being taken over. */
  origin: Origin = { relation: '', line: 0 }
  readonly #means: Means
  readonly #labels: Titles
  readonly #milestones: Titles
  readonly #milestoneNumbers: MilestoneNumbers
  readonly #kept = new Map<string, number>()
  readonly #highest: { -readonly [Table in keyof Numbers]: number } = {}

  constructor(order: Order, means: Means) {
    this.#means = means
    this.owner = order.owner
    this.db = means.db
    this.now = order.now
    this.importer_id = order.importer.id
    this.importer = order.importer
    this.ghost_id = order.ghost_id
    this.people = new People(means.db, order.importer)
    this.#labels = new Titles(means.db, order.owner, 'labels')
    this.#milestones = new Titles(means.db, order.owner, 'milestones')
    this.#milestoneNumbers = new MilestoneNumbers(means.db, order.owner)
  }

  /** The highest number that was given in each table. */
  get numbers(): Numbers {
    return this.#highest
  }

  insert(table: string, row: Row): number {
    const id = this.#means.ids.next(table)
    const columns = Object.keys(row)
    this.#means.outgoing.add(`insert ${table} ${columns.join(' ')}`, () => insertion(table, columns), [
      id,
      ...Object.values(row),
    ])
    if (isNumbered(table) && typeof row['iid'] === 'number') {
      this.#highest[table] = Math.max(this.#highest[table] ?? 0, row['iid'])
      if (table === 'milestones') this.#milestoneNumbers.note(row['iid'])
    }
    return id
  }

  link(table: string, row: Row): void {
    const columns = Object.keys(row)
    this.#means.outgoing.add(
      `link ${table} ${columns.join(' ')}`,
      () => linking(table, columns),
      Object.values(row),
    )
  }

  update(table: string, id: number, row: Row): void {
    const columns = Object.keys(row)
    if (columns.length === 0) return
    this.#means.outgoing.add(`update ${table} ${columns.join(' ')}`, () => changing(table, columns), [
      ...Object.values(row),
      id,
    ])
  }

  person(id: Json | undefined): Person {
    return this.people.find(id)
  }

  label(record: Json | undefined): number | null {
    return this.#titled(this.#labels, record, (fields) =>
      this.insert('labels', labelRow(fields, this.owner, this.now)),
    )
  }

  milestone(record: Json | undefined): number | null {
    return this.#titled(this.#milestones, record, (fields) => {
      const iid = this.#milestoneNumbers.give(fields, this.owner)
      return this.insert('milestones', milestoneRow(fields, { owner: this.owner, now: this.now, iid }))
    })
  }

  remember(kind: string, key: string | number, id: number): void {
    this.#kept.set(`${kind}\0${key}`, id)
  }

  recall(kind: string, key: string | number): number | undefined {
    return this.#kept.get(`${kind}\0${key}`)
  }

  skip(relation: string, problem: unknown): void {
    // What is wrong with our own code is not a part's fault; the record says so as a whole.
    if (!(problem instanceof UnusableRecord)) throw problem
    const { exceptionClass: exception_class, message: exception_message } = problem
    const { line } = this.origin
    this.#means.outgoing.fail({ relation, line, exception_class, exception_message })
  }

  /** What is made here stays even where the record that asked for it cannot be taken over: others ask for it, too. */
  #titled(titles: Titles, record: Json | undefined, make: (fields: Fields) => number): number | null {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return null
    const fields = record as Fields
    const title = titleOf(fields)
    const known = titles.find(title)
    if (known !== undefined) return known
    let made = 0
    this.#means.outgoing.before(this.origin, () => (made = make(fields)))
    titles.note(title, made)
    return made
  }
}

function insertion(table: string, columns: readonly string[]): Statement {
  const names = ['id', ...columns]
  return { sql: `INSERT INTO ${table} (${list(names)}) VALUES (${marks(names)})`, table, kind: 'insert' }
}

function linking(table: string, columns: readonly string[]): Statement {
  const sql = `INSERT INTO ${table} (${list(columns)}) VALUES (${marks(columns)}) ON CONFLICT DO NOTHING`
  return { sql, table, kind: 'link' }
}

function changing(table: string, columns: readonly string[]): Statement {
  const set = columns.map((column) => `"${column}" = ?`).join(', ')
  return { sql: `UPDATE ${table} SET ${set} WHERE id = ?`, table, kind: 'update' }
}

const list = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')
const marks = (columns: readonly string[]): string => columns.map(() => '?').join(', ')
