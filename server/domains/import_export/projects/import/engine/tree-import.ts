import { readFileSync, statSync } from 'node:fs'

import type { Reader } from '../../../../../db/reader.ts'
import { RELATIONS } from '../../../relations/index.ts'
import { UnusableRecord, type Fields, type Json, type Relation } from '../../../relations/relation.ts'
import { RecordTarget } from './record-target.ts'
import { countLines, linesOf, MAX_LINE, type Line, IdAllocator } from './lines.ts'
import type { Batch, Counts, ImportTask, Report } from './messages.ts'
import { BatchQueue } from './batch-queue.ts'
import { numbersOf } from './store.ts'

/** The relations that contain the accounts of an archive. */
const MEMBERS = ['project_members', 'members']
/** Relations of numbered records. Their tables have the same names. */
const NUMBERED = ['issues', 'merge_requests', 'milestones', 'ci_pipelines']
/** Number of records between two reports of progress. */
const REPORT_INTERVAL = 100

/** Sends messages to the main thread. */
export interface Channel {
  report(report: Report): void
  /** Resolves when the batch is sent, which may have to wait until earlier batches are written. */
  send(batch: Batch): Promise<void>
}

/** Imports the relations of an unpacked tree, one record after the other. */
export class TreeImport {
  readonly #task: ImportTask
  readonly #channel: Channel
  readonly #queue = new BatchQueue()
  readonly #target: RecordTarget
  readonly #counts: Record<string, { fetched: number; imported: number }> = {}
  readonly #nested: Fields | undefined
  readonly #db: Reader

  constructor(task: ImportTask, channel: Channel, db: Reader) {
    this.#task = task
    this.#channel = channel
    this.#db = db
    const ids = new IdAllocator(task.answers, (report) => channel.report(report))
    this.#target = new RecordTarget(task, { db, ids, queue: this.#queue })
    this.#nested = task.nested === null ? undefined : nestedTree(task.nested)
  }

  /** Imports all relations of the task. The last rows have been sent when it resolves. */
  async run(): Promise<{ counts: Counts; numbers: RecordTarget['numbers'] }> {
    await this.#lookUpPeople()
    // The attributes of the owner come last, because they contain the visibility.
    const relations = this.#task.relations.toSorted(
      (a, b) => Number(this.#isOwner(a)) - Number(this.#isOwner(b)),
    )
    for (const name of relations) {
      const relation = RELATIONS.find((candidate) => candidate.name === name)
      if (relation) await this.#importRelation(relation)
    }
    await this.#send()
    return { counts: this.#counts, numbers: this.#target.numbers }
  }

  async #lookUpPeople(): Promise<void> {
    for (const name of MEMBERS) {
      for await (const lines of this.#lines(name)) {
        for (const { text } of lines) {
          const record = text === null ? undefined : parseJson(text)
          if (isFields(record)) this.#target.people.lookUp(record)
        }
      }
    }
  }

  async #importRelation(relation: Relation): Promise<void> {
    const counts = (this.#counts[relation.name] = { fetched: 0, imported: 0 })
    const total = await this.#count(relation.name)
    const report = (): void =>
      this.#channel.report({ kind: 'progress', relation: relation.name, done: counts.fetched, total })
    const skippedNumbers = this.#skippedNumbers(relation.name)
    for await (const lines of this.#lines(relation.name)) {
      for (const line of lines) {
        if (line.text?.trim() === '' || line.text === 'null') continue
        counts.fetched++
        if (this.#importLine(relation, line, skippedNumbers)) counts.imported++
        if (this.#queue.isFull) await this.#send()
        if (counts.fetched % REPORT_INTERVAL === 0) report()
      }
    }
    if (counts.fetched === 0) delete this.#counts[relation.name]
    else report()
  }

  /** The numbers (iids) of records that are skipped. */
  #skippedNumbers(relation: string): ReadonlySet<Json> {
    const { skip_existing, owner } = this.#task
    if (!skip_existing || owner.kind !== 'project' || !NUMBERED.includes(relation)) return new Set()
    return new Set(numbersOf(this.#db, relation, owner.id))
  }

  #importLine(relation: Relation, { number, text }: Line, skippedNumbers: ReadonlySet<Json>): boolean {
    this.#target.origin = { relation: relation.name, line: number }
    try {
      if (text === null)
        throw new UnusableRecord(`The record is larger than ${MAX_LINE} bytes`, 'JSON::ParserError')
      const record = parseJson(text)
      if (!isFields(record)) throw new UnusableRecord('The record is not a JSON object', 'JSON::ParserError')
      if (skippedNumbers.has(record['iid'] ?? null)) return true
      relation.importRecord(this.#isOwner(relation.name) ? this.#withOverrides(record) : record, this.#target)
      this.#queue.end(this.#target.origin)
      return true
    } catch (error) {
      this.#queue.discard()
      this.#fail(error)
      return false
    }
  }

  #fail(error: unknown): void {
    const { origin } = this.#target
    if (error instanceof UnusableRecord) {
      const { exceptionClass: exception_class, message: exception_message } = error
      this.#queue.fail({ ...origin, exception_class, exception_message })
      return
    }
    this.#channel.report({ kind: 'unexpected_error', origin, stack: (error as Error).stack ?? String(error) })
    const exception_message = 'The record could not be imported'
    this.#queue.fail({ ...origin, exception_class: 'StandardError', exception_message })
  }

  #withOverrides(record: Fields): Fields {
    return { ...record, ...(this.#task.overrides as Fields) }
  }

  async #send(): Promise<void> {
    const batch = this.#queue.takeBatch()
    if (!batch) return
    await this.#channel.send(batch)
  }

  #isOwner(name: string): boolean {
    return name === this.#task.owner.kind
  }

  #file(name: string): string {
    const { folder } = this.#task
    return this.#isOwner(name) ? `${folder}.json` : `${folder}/${name}.ndjson`
  }

  async #count(name: string): Promise<number> {
    const nested = this.#nestedRecords(name)
    if (nested) return nested.length
    return isFile(this.#file(name)) ? countLines(this.#file(name)) : 0
  }

  async *#lines(name: string): AsyncGenerator<readonly Line[]> {
    const nested = this.#nestedRecords(name)
    if (nested) {
      for (const [index, record] of nested.entries())
        yield [{ number: index + 1, text: JSON.stringify(record) }]
    } else if (this.#isOwner(name) && isFile(this.#file(name))) {
      // The attributes are a single object, which may span several lines.
      const isSmall = statSync(this.#file(name)).size <= MAX_LINE
      yield [{ number: 1, text: isSmall ? readFileSync(this.#file(name), 'utf8') : null }]
    } else if (isFile(this.#file(name))) yield* linesOf(this.#file(name))
  }

  #nestedRecords(name: string): readonly Json[] | undefined {
    if (!this.#nested) return undefined
    if (this.#isOwner(name)) return [this.#nested]
    const value = this.#nested[name]
    return Array.isArray(value) ? value : value === undefined ? [] : [value]
  }
}

/** Reads the older layout, a single object with all relations. It must not be large, because it is read as a whole. */
function nestedTree(file: string): Fields {
  if (statSync(file).size > MAX_LINE)
    throw new UnusableRecord('The archive has an older layout that is too large to be read')
  const tree = parseJson(readFileSync(file, 'utf8'))
  if (!isFields(tree)) throw new UnusableRecord('project.json is not valid')
  return tree
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}
