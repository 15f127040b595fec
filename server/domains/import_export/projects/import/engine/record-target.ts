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
import type { IdAllocator } from './lines.ts'
import type { Numbers, ImportTask, Origin } from './messages.ts'
import type { BatchQueue } from './batch-queue.ts'
import { labelColumns, titleOf } from '../../../relations/labels.ts'
import { milestoneColumns } from '../../../relations/milestones.ts'
import {
  updateStatement,
  insertStatement,
  linkStatement,
  userByEmail,
  userByName,
  ancestorGroups,
  idByTitle,
  milestoneNumbers,
} from './store.ts'
import { childOf, integerOf } from '../../../relations/checked.ts'

/**
 * Labels or milestones by title (spec administration 6.5): those of the owner, of its ancestor groups (nearest first),
 * and those that the import creates.
 */
export class TitleIndex {
  readonly #db: Reader
  readonly #table: 'labels' | 'milestones'
  /** The owner, followed by its ancestor groups. */
  readonly #owners: readonly Owner[]
  readonly #ids = new Map<string, number | null>()

  constructor(db: Reader, owner: Owner, table: 'labels' | 'milestones') {
    this.#db = db
    this.#table = table
    this.#owners = [owner, ...ancestorGroups(db, owner).map((id) => ({ kind: 'group' as const, id }))]
  }

  find(title: string): number | undefined {
    const cached = this.#ids.get(title)
    if (cached !== undefined) return cached ?? undefined
    const id = this.#findInOwners(title)
    this.#ids.set(title, id ?? null)
    return id
  }

  add(title: string, id: number): void {
    this.#ids.set(title, id)
  }

  #findInOwners(title: string): number | undefined {
    for (const owner of this.#owners) {
      const id = idByTitle(this.#db, this.#table, owner, title)
      if (id !== undefined) return id
    }
    return undefined
  }
}

/**
 * Assigns numbers to milestones: the original number if it is unused, otherwise, and for milestones of a group, the
 * next one.
 */
export class MilestoneNumbers {
  readonly #used: Set<number>
  #highest: number

  constructor(db: Reader, owner: Owner) {
    this.#used = new Set(milestoneNumbers(db, owner))
    this.#highest = Math.max(0, ...this.#used)
  }

  /** Marks a number as used. */
  add(iid: number): void {
    this.#used.add(iid)
    this.#highest = Math.max(this.#highest, iid)
  }

  assignNumber(record: Fields, owner: Owner): number {
    const ownerId = record[owner.kind === 'project' ? 'group_id' : 'project_id']
    const requested = ownerId === undefined || ownerId === null ? integerOf(record, 'iid', { min: 1 }) : null
    const iid = requested !== null && !this.#used.has(requested) ? requested : this.#highest + 1
    this.add(iid)
    return iid
  }
}

/** The maximum number of accounts that are looked up, to limit memory use. No real archive has more. */
const MAX_PEOPLE = 200_000

/**
 * The accounts of an archive as accounts of this instance (spec administration 6.5). The import of an administrator
 * finds them by their public address, or by their name if they have none. In other imports the importer replaces all
 * accounts.
 */
class People {
  readonly #db: Reader
  readonly #importer: { readonly id: number; readonly is_admin: boolean }
  readonly #accounts = new Map<number, number>()

  constructor(db: Reader, importer: { readonly id: number; readonly is_admin: boolean }) {
    this.#db = db
    this.#importer = importer
  }

  /** Looks up the account in a member's record. Other records refer to it by its ID. */
  lookUp(member: Fields): void {
    if (!this.#importer.is_admin || this.#accounts.size >= MAX_PEOPLE) return
    const user = childOf(member, 'user')
    const archiveId = user?.['id'] ?? member['user_id']
    if (!user || typeof archiveId !== 'number') return
    const email = user['public_email'] ?? user['email']
    const { username } = user
    if (typeof email === 'string' && email !== '') this.#add(archiveId, userByEmail(this.#db, email))
    else if (typeof username === 'string') this.#add(archiveId, userByName(this.#db, username))
  }

  /** The account for an ID of the archive. */
  find(id: Json | undefined): Person {
    const accountId = typeof id === 'number' ? this.#accounts.get(id) : undefined
    return accountId === undefined
      ? { id: this.#importer.id, isMatched: false }
      : { id: accountId, isMatched: true }
  }

  #add(archiveId: number, id: number | undefined): void {
    if (id !== undefined) this.#accounts.set(archiveId, id)
  }
}

/** Tables of rows with a number in their project. */
const NUMBERED = ['issues', 'merge_requests', 'milestones'] as const
const isNumbered = (table: string): table is (typeof NUMBERED)[number] =>
  NUMBERED.includes(table as (typeof NUMBERED)[number])

interface Dependencies {
  readonly db: Reader
  readonly ids: IdAllocator
  readonly queue: BatchQueue
}

/** The target of imported relations. It queues the rows of each record, which the main thread writes. */
export class RecordTarget implements Target {
  readonly owner: Owner
  readonly db: Reader
  readonly now: string
  readonly importer_id: number
  readonly importer: Target['importer']
  readonly ghost_id: number
  readonly people: People
  /** The position of the record that is being imported. */
  origin: Origin = { relation: '', line: 0 }
  readonly #dependencies: Dependencies
  readonly #labels: TitleIndex
  readonly #milestones: TitleIndex
  readonly #milestoneNumbers: MilestoneNumbers
  readonly #remembered = new Map<string, number>()
  readonly #highest: { -readonly [Table in keyof Numbers]: number } = {}

  constructor(task: ImportTask, dependencies: Dependencies) {
    this.#dependencies = dependencies
    this.owner = task.owner
    this.db = dependencies.db
    this.now = task.now
    this.importer_id = task.importer.id
    this.importer = task.importer
    this.ghost_id = task.ghost_id
    this.people = new People(dependencies.db, task.importer)
    this.#labels = new TitleIndex(dependencies.db, task.owner, 'labels')
    this.#milestones = new TitleIndex(dependencies.db, task.owner, 'milestones')
    this.#milestoneNumbers = new MilestoneNumbers(dependencies.db, task.owner)
  }

  /** The highest number that was assigned in each table. */
  get numbers(): Numbers {
    return this.#highest
  }

  insert(table: string, row: Row): number {
    const id = this.#dependencies.ids.next(table)
    const columns = Object.keys(row)
    this.#dependencies.queue.add(
      `insert ${table} ${columns.join(' ')}`,
      () => insertStatement(table, columns),
      [id, ...Object.values(row)],
    )
    if (isNumbered(table) && typeof row['iid'] === 'number') {
      this.#highest[table] = Math.max(this.#highest[table] ?? 0, row['iid'])
      if (table === 'milestones') this.#milestoneNumbers.add(row['iid'])
    }
    return id
  }

  link(table: string, row: Row): void {
    const columns = Object.keys(row)
    this.#dependencies.queue.add(
      `link ${table} ${columns.join(' ')}`,
      () => linkStatement(table, columns),
      Object.values(row),
    )
  }

  update(table: string, id: number, row: Row): void {
    const columns = Object.keys(row)
    if (columns.length === 0) return
    this.#dependencies.queue.add(
      `update ${table} ${columns.join(' ')}`,
      () => updateStatement(table, columns),
      [...Object.values(row), id],
    )
  }

  person(id: Json | undefined): Person {
    return this.people.find(id)
  }

  label(record: Json | undefined): number | null {
    return this.#findOrCreate(this.#labels, record, (fields) =>
      this.insert('labels', labelColumns(fields, this)),
    )
  }

  milestone(record: Json | undefined): number | null {
    return this.#findOrCreate(this.#milestones, record, (fields) => {
      const iid = this.#milestoneNumbers.assignNumber(fields, this.owner)
      return this.insert('milestones', milestoneColumns(fields, this, iid))
    })
  }

  remember(kind: string, key: string | number, id: number): void {
    this.#remembered.set(`${kind}\0${key}`, id)
  }

  recall(kind: string, key: string | number): number | undefined {
    return this.#remembered.get(`${kind}\0${key}`)
  }

  skip(relation: string, problem: unknown): void {
    // Any other error is a defect and fails the whole record.
    if (!(problem instanceof UnusableRecord)) throw problem
    const { exceptionClass: exception_class, message: exception_message } = problem
    const { line } = this.origin
    this.#dependencies.queue.fail({ relation, line, exception_class, exception_message })
  }

  /**
   * Finds or creates a label or milestone. It stays even if the record that needs it fails, because others may need it,
   * too.
   */
  #findOrCreate(
    titles: TitleIndex,
    record: Json | undefined,
    create: (fields: Fields) => number,
  ): number | null {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) return null
    const fields = record as Fields
    const title = titleOf(fields)
    const existing = titles.find(title)
    if (existing !== undefined) return existing
    let id = 0
    this.#dependencies.queue.before(this.origin, () => (id = create(fields)))
    titles.add(title, id)
    return id
  }
}
