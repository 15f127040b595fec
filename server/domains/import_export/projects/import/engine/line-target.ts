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
import type { Ids } from './lines.ts'
import type { Numbers, ImportTask, Origin } from './messages.ts'
import type { Outgoing } from './outgoing.ts'
import { labelColumns, titleOf } from '../../../relations/labels.ts'
import { milestoneColumns } from '../../../relations/milestones.ts'
import {
  changing,
  insertion,
  linking,
  userByEmail,
  userByName,
  groupsAbove,
  idByTitle,
  milestoneNumbers,
} from './store.ts'
import { childOf, wholeOf } from '../../../relations/checked.ts'

/**
 * Labels or milestones by title (spec administration 6.5): those of the owner, of its ancestor groups (nearest first),
 * and those that the import creates.
 */
export class Titles {
  readonly #db: Reader
  readonly #table: 'labels' | 'milestones'
  /** The owner, and the groups above it. */
  readonly #owners: readonly Owner[]
  readonly #found = new Map<string, number | null>()

  constructor(db: Reader, owner: Owner, table: 'labels' | 'milestones') {
    this.#db = db
    this.#table = table
    this.#owners = [owner, ...groupsAbove(db, owner).map((id) => ({ kind: 'group' as const, id }))]
  }

  find(title: string): number | undefined {
    const cached = this.#found.get(title)
    if (cached !== undefined) return cached ?? undefined
    const id = this.#look(title)
    this.#found.set(title, id ?? null)
    return id
  }

  note(title: string, id: number): void {
    this.#found.set(title, id)
  }

  #look(title: string): number | undefined {
    for (const owner of this.#owners) {
      const id = idByTitle(this.#db, this.#table, owner, title)
      if (id !== undefined) return id
    }
    return undefined
  }
}

/** Numbers milestones: the original number if it is free, or the next number for milestones of a group. */
export class MilestoneNumbers {
  readonly #taken: Set<number>
  #highest: number

  constructor(db: Reader, owner: Owner) {
    this.#taken = new Set(milestoneNumbers(db, owner))
    this.#highest = Math.max(0, ...this.#taken)
  }

  /** Marks a number as taken. */
  note(iid: number): void {
    this.#taken.add(iid)
    this.#highest = Math.max(this.#highest, iid)
  }

  assignNumber(record: Fields, owner: Owner): number {
    const ownerId = record[owner.kind === 'project' ? 'group_id' : 'project_id']
    const requested = ownerId === undefined || ownerId === null ? wholeOf(record, 'iid', { min: 1 }) : null
    const iid = requested !== null && !this.#taken.has(requested) ? requested : this.#highest + 1
    this.note(iid)
    return iid
  }
}

/** The maximum number of accounts that are looked up, to limit the memory. No real archive has more. */
const MAX_PEOPLE = 200_000

/**
 * The accounts of an archive as accounts of this instance (spec administration 6.5). The import of an administrator
 * finds them by their public address, or by their name if they have none. In other imports the importer replaces all
 * accounts.
 */
class People {
  readonly #db: Reader
  readonly #importer: { readonly id: number; readonly is_admin: boolean }
  readonly #known = new Map<number, number>()

  constructor(db: Reader, importer: { readonly id: number; readonly is_admin: boolean }) {
    this.#db = db
    this.#importer = importer
  }

  /** Looks up the account of a member's record; the other records name it by its id. */
  lookUp(member: Fields): void {
    if (!this.#importer.is_admin || this.#known.size >= MAX_PEOPLE) return
    const user = childOf(member, 'user')
    const old = user?.['id'] ?? member['user_id']
    if (!user || typeof old !== 'number') return
    const email = user['public_email'] ?? user['email']
    const { username } = user
    if (typeof email === 'string' && email !== '') this.#note(old, userByEmail(this.#db, email))
    else if (typeof username === 'string') this.#note(old, userByName(this.#db, username))
  }

  /** The account of an id of the archive. */
  find(id: Json | undefined): Person {
    const accountId = typeof id === 'number' ? this.#known.get(id) : undefined
    return accountId === undefined ? { id: this.#importer.id, known: false } : { id: accountId, known: true }
  }

  #note(old: number, id: number | undefined): void {
    if (id !== undefined) this.#known.set(old, id)
  }
}

/** Tables of rows with a number in their project. */
const NUMBERED = ['issues', 'merge_requests', 'milestones'] as const
const isNumbered = (table: string): table is (typeof NUMBERED)[number] =>
  NUMBERED.includes(table as (typeof NUMBERED)[number])

interface TargetDependencies {
  readonly db: Reader
  readonly ids: Ids
  readonly outgoing: Outgoing
}

/** The target of the relations: queues the rows of each record for the main thread. */
export class LineTarget implements Target {
  readonly owner: Owner
  readonly db: Reader
  readonly now: string
  readonly importer_id: number
  readonly importer: Target['importer']
  readonly ghost_id: number
  readonly people: People
  /** The record that is being imported. */
  origin: Origin = { relation: '', line: 0 }
  readonly #means: TargetDependencies
  readonly #labels: Titles
  readonly #milestones: Titles
  readonly #milestoneNumbers: MilestoneNumbers
  readonly #kept = new Map<string, number>()
  readonly #highest: { -readonly [Table in keyof Numbers]: number } = {}

  constructor(task: ImportTask, means: TargetDependencies) {
    this.#means = means
    this.owner = task.owner
    this.db = means.db
    this.now = task.now
    this.importer_id = task.importer.id
    this.importer = task.importer
    this.ghost_id = task.ghost_id
    this.people = new People(means.db, task.importer)
    this.#labels = new Titles(means.db, task.owner, 'labels')
    this.#milestones = new Titles(means.db, task.owner, 'milestones')
    this.#milestoneNumbers = new MilestoneNumbers(means.db, task.owner)
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
    return this.#titled(this.#labels, record, (fields) => this.insert('labels', labelColumns(fields, this)))
  }

  milestone(record: Json | undefined): number | null {
    return this.#titled(this.#milestones, record, (fields) => {
      const iid = this.#milestoneNumbers.assignNumber(fields, this.owner)
      return this.insert('milestones', milestoneColumns(fields, this, iid))
    })
  }

  remember(kind: string, key: string | number, id: number): void {
    this.#kept.set(`${kind}\0${key}`, id)
  }

  recall(kind: string, key: string | number): number | undefined {
    return this.#kept.get(`${kind}\0${key}`)
  }

  skip(relation: string, problem: unknown): void {
    // An internal error fails the whole record.
    if (!(problem instanceof UnusableRecord)) throw problem
    const { exceptionClass: exception_class, message: exception_message } = problem
    const { line } = this.origin
    this.#means.outgoing.fail({ relation, line, exception_class, exception_message })
  }

  /** These rows stay even if the record that needs them fails, because other records may need them. */
  #titled(titles: Titles, record: Json | undefined, make: (fields: Fields) => number): number | null {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return null
    const fields = record as Fields
    const title = titleOf(fields)
    const existing = titles.find(title)
    if (existing !== undefined) return existing
    let added = 0
    this.#means.outgoing.before(this.origin, () => (added = make(fields)))
    titles.note(title, added)
    return added
  }
}
