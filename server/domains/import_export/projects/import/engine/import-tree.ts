import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { dataPaths } from '../../../../../config.ts'
import type { Ctx } from '../../../../../ctx.ts'
import { tx } from '../../../../../db/database.ts'
import { runInThread, ThreadError, workerFile } from '../../../../../threads/thread.ts'
import { ensureGhost } from '../../../../accounts/index.ts'
import { ImportFailure as ImportProblem } from '../../../imports/status.ts'
import { recordFailures } from '../../../imports/store.ts'
import { recordIid } from '../../../../planning/index.ts'
import { userById } from '../../../../users/index.ts'
import { RELATIONS } from '../../../relations/index.ts'
import type { Owner } from '../../../relations/relation.ts'
import { ownsRoot, reserveIds } from '../store.ts'
import { createAnswers, answerWith } from './lines.ts'
import type { Counts, ImportFailure, Numbers, ImportTask, Batch, ImportWork } from './messages.ts'
import { Writer } from './writer.ts'

/** The maximum number of failures of one import that are stored; all are counted. */
const MAX_KEPT_FAILURES = 10_000

/** A tree to import, and the options. */
export interface TreeImportOptions {
  readonly owner: Owner
  /**
   * The tree in an unpacked archive (`tree/project`, `tree/groups/<id>`): `<folder>/<relation>.ndjson` are the
   * relations, `<folder>.json` has the owner's own attributes.
   */
  readonly folder: string
  /** Id of the user who imports. */
  readonly importer: number
  /** Names of relations; all relations of such an owner if it is left out. */
  readonly relations?: readonly string[]
  /** Attributes that override those of the archive. */
  readonly overrides?: Readonly<Record<string, unknown>>
  /** Skips records with a number (iid) that the project has: for a relation that is imported once more. */
  readonly skipExisting?: boolean
  readonly signal?: AbortSignal
  onProgress?(relation: string, done: number, total: number): void
}

/** The outcome of an import. */
export interface ImportCounts {
  /** Records by relation: the number in the archive, and the number that were imported. */
  readonly counts: Counts
  /** Records and parts that were not imported; the first of them are stored in `import_failures`. */
  readonly failures: number
}

/**
 * Imports relations of an unpacked archive into a project or group. Records that cannot be imported are stored as
 * failures and skipped. Memory use does not depend on the archive, and the import yields to other requests every few
 * milliseconds. Rejects with a message if the import cannot continue, or with the reason of the signal. The caller then
 * removes the written rows.
 */
export async function importTree(ctx: Ctx, options: TreeImportOptions): Promise<ImportCounts> {
  const { owner, signal } = options
  let failures = 0
  const onFailures = (batch: readonly ImportFailure[]): void => {
    const stored = batch.slice(0, Math.max(0, MAX_KEPT_FAILURES - failures))
    failures += batch.length
    if (stored.length > 0) recordFailures(ctx, ownerOf(owner), stored.map(rowOf))
  }
  const { counts, numbers, refused } = await runThread(ctx, taskOf(ctx, options), {
    signal,
    onFailures,
    onProgress: (relation, done, total) => options.onProgress?.(relation, done, total),
  })
  storeNumbers(ctx, owner, numbers)
  const countEntries = Object.entries(counts).map(([name, { fetched, imported }]) => [
    name,
    { fetched, imported: imported - (refused[name] ?? 0) },
  ])
  return { counts: Object.fromEntries(countEntries) as Counts, failures }
}

const ownerOf = ({ kind, id }: Owner) => (kind === 'project' ? { project_id: id } : { group_id: id })

function rowOf({ relation, line, ...words }: ImportFailure) {
  return { relation_name: relation, line_number: line, source: 'process_relation_item!', ...words }
}

function taskOf(ctx: Ctx, options: TreeImportOptions): ImportTask {
  const { owner, folder, importer, relations, overrides } = options
  const user = userById(ctx.db, importer)
  if (!user) throw new Error('The user who started the import no longer exists.')
  const ownRelations = RELATIONS.filter(({ of }) => of.includes(owner.kind)).map(({ name }) => name)
  const nested = join(dirname(dirname(folder)), 'project.json')
  return {
    database: dataPaths(ctx.config.dataDir).database,
    owner,
    folder,
    nested: owner.kind === 'project' && !existsSync(folder) && existsSync(nested) ? nested : null,
    relations: relations ? ownRelations.filter((name) => relations.includes(name)) : ownRelations,
    importer: { id: user.id, is_admin: user.is_admin, owns_root_group: ownsRoot(ctx, owner, user.id) },
    ghost_id: tx(ctx.db, () => ensureGhost(ctx)),
    now: ctx.now,
    overrides: overrides ?? {},
    skip_existing: options.skipExisting ?? false,
    answers: createAnswers(),
  }
}

/** Continues the numbers of issues, merge requests and milestones after the imported ones. */
function storeNumbers(ctx: Ctx, owner: Owner, numbers: Numbers): void {
  tx(ctx.db, () => {
    for (const usage of ['issues', 'merge_requests', 'milestones'] as const) {
      const highest = numbers[usage]
      if (highest !== undefined) recordIid(ctx.db, ownerOf(owner), usage, highest)
    }
  })
}

/** Callbacks and signal of the caller. */
interface Watch {
  readonly signal?: AbortSignal | undefined
  onProgress?(relation: string, done: number, total: number): void
  onFailures(failures: readonly ImportFailure[]): void
}

/** The result. */
interface Outcome {
  readonly counts: Counts
  readonly numbers: Numbers
  /** Valid records that the database rejected, by relation. */
  readonly refused: Readonly<Record<string, number>>
}

/**
 * Starts a thread that reads and converts records, and writes its batches here one after the other. Rejects with a
 * message for users if the import cannot continue, or with the reason of an aborted signal. Rows written so far stay.
 */
async function runThread(ctx: Ctx, task: ImportTask, watch: Watch): Promise<Outcome> {
  const writer = new Writer(ctx.db, watch.signal)
  const refused: Record<string, number> = {}
  let isOver = false
  let written: Promise<void> = Promise.resolve()
  const write = async (batch: Batch): Promise<void> => {
    if (isOver) return
    const rows = await writer.write(batch)
    for (const { relation } of rows) refused[relation] = (refused[relation] ?? 0) + 1
    const failures = [...batch.failures, ...rows]
    if (failures.length > 0) watch.onFailures(failures)
  }
  try {
    const result = await runInThread<ImportWork>(workerFile(import.meta.url, './import'), task, {
      signal: watch.signal,
      memoryMb: 1024,
      onQuestion: (batch) => (written = written.then(() => write(batch))),
      onReport: (report) => {
        if (report.kind === 'ids') answerWith(task.answers, reserveIds(ctx.db, report.table, report.count))
        else if (report.kind === 'progress') watch.onProgress?.(report.relation, report.done, report.total)
        else ctx.log.error({ ...report.origin, stack: report.stack }, 'a record could not be imported')
      },
    })
    return { ...result, refused }
  } catch (error) {
    throw problemOf(ctx, error)
  } finally {
    isOver = true
    // The current transaction is the last one.
    await written.catch(() => undefined)
  }
}

function problemOf(ctx: Ctx, error: unknown): unknown {
  if (!(error instanceof ThreadError)) return error
  if (error.why === 'memory')
    return new ImportProblem('The archive needs more memory than an import may use.')
  if (error.why === 'ended') return new ImportProblem('The import ended before it was done.')
  const isExpected = error.why === 'refused'
  ctx.log[isExpected ? 'info' : 'error']({ stack: error.stack }, 'an import failed')
  return isExpected ? new ImportProblem(error.message) : error
}
