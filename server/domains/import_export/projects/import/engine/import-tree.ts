import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { dataPaths } from '../../../../../config.ts'
import type { Ctx } from '../../../../../ctx.ts'
import { tx } from '../../../../../db/database.ts'
import { withReadableFile } from '../../../../../db/other-connections.ts'
import { runInThread, ThreadError, workerFile } from '../../../../../threads/thread.ts'
import { ensureGhost } from '../../../../accounts/index.ts'
import { ImportFailure as ImportProblem } from '../../../imports/status.ts'
import { recordFailures } from '../../../imports/store.ts'
import { recordIid } from '../../../../planning/index.ts'
import { userById } from '../../../../users/index.ts'
import { RELATIONS } from '../../../relations/index.ts'
import type { Owner } from '../../../relations/relation.ts'
import { ownsRoot, reserveIds } from '../store.ts'
import { createAnswerBuffer, answerWith } from './lines.ts'
import type { Counts, ImportFailure, Numbers, ImportTask, Batch, ImportWork } from './messages.ts'
import { Writer } from './writer.ts'

/** The maximum number of stored failures of one import. Further failures are only counted. */
const MAX_STORED_FAILURES = 10_000

/** A tree to import, and the options. */
export interface TreeImportOptions {
  readonly owner: Owner
  /**
   * The tree in an unpacked archive (`tree/project`, `tree/groups/<id>`): `<folder>/<relation>.ndjson` are the
   * relations, `<folder>.json` has the owner's own attributes.
   */
  readonly folder: string
  /** ID of the importing user. */
  readonly importer: number
  /** Names of relations. Default is all relations of such an owner. */
  readonly relations?: readonly string[]
  /** Attributes that override those of the archive. */
  readonly overrides?: Readonly<Record<string, unknown>>
  /** Whether records are skipped if the project already has their number (iid), so that an import can be repeated. */
  readonly skipExisting?: boolean
  readonly signal?: AbortSignal
  onProgress?(relation: string, done: number, total: number): void
}

/** The outcome of an import. */
export interface ImportCounts {
  /** Records by relation: the number in the archive, and the number that were imported. */
  readonly counts: Counts
  /** Number of records and parts that were not imported. The first of them are stored in `import_failures`. */
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
    const stored = batch.slice(0, Math.max(0, MAX_STORED_FAILURES - failures))
    failures += batch.length
    if (stored.length > 0) recordFailures(ctx, ownerOf(owner), stored.map(rowOf))
  }
  const { counts, numbers, rejected } = await withReadableFile(
    ctx.db,
    dataPaths(ctx.config.dataDir).tmp,
    (database) =>
      runThread(
        ctx,
        { ...taskOf(ctx, options), database },
        {
          signal,
          onFailures,
          onProgress: (relation, done, total) => options.onProgress?.(relation, done, total),
        },
      ),
  )
  storeNumbers(ctx, owner, numbers)
  const countEntries = Object.entries(counts).map(([name, { fetched, imported }]) => [
    name,
    { fetched, imported: imported - (rejected[name] ?? 0) },
  ])
  return { counts: Object.fromEntries(countEntries) as Counts, failures }
}

const ownerOf = ({ kind, id }: Owner) => (kind === 'project' ? { project_id: id } : { group_id: id })

function rowOf({ relation, line, ...exception }: ImportFailure) {
  return { relation_name: relation, line_number: line, source: 'process_relation_item!', ...exception }
}

function taskOf(ctx: Ctx, options: TreeImportOptions): Omit<ImportTask, 'database'> {
  const { owner, folder, importer, relations, overrides } = options
  const user = userById(ctx.db, importer)
  if (!user) throw new Error('The user who started the import no longer exists.')
  const ownRelations = RELATIONS.filter(({ ownerKinds }) => ownerKinds.includes(owner.kind)).map(
    ({ name }) => name,
  )
  const nested = join(dirname(dirname(folder)), 'project.json')
  return {
    owner,
    folder,
    nested: owner.kind === 'project' && !existsSync(folder) && existsSync(nested) ? nested : null,
    relations: relations ? ownRelations.filter((name) => relations.includes(name)) : ownRelations,
    importer: { id: user.id, is_admin: user.is_admin, owns_root_group: ownsRoot(ctx, owner, user.id) },
    ghost_id: tx(ctx.db, () => ensureGhost(ctx)),
    now: ctx.now,
    overrides: overrides ?? {},
    skip_existing: options.skipExisting ?? false,
    answers: createAnswerBuffer(),
  }
}

/** Stores the highest imported numbers, so that new issues, merge requests and milestones get higher ones. */
function storeNumbers(ctx: Ctx, owner: Owner, numbers: Numbers): void {
  tx(ctx.db, () => {
    for (const usage of ['issues', 'merge_requests', 'milestones'] as const) {
      const highest = numbers[usage]
      if (highest !== undefined) recordIid(ctx.db, ownerOf(owner), usage, highest)
    }
  })
}

/** Callbacks and signal of the caller. */
interface ThreadCallbacks {
  readonly signal?: AbortSignal | undefined
  onProgress?(relation: string, done: number, total: number): void
  onFailures(failures: readonly ImportFailure[]): void
}

/** The result of the thread, and the rejected records. */
interface Outcome {
  readonly counts: Counts
  readonly numbers: Numbers
  /** Numbers of valid records that the database rejected, by relation. */
  readonly rejected: Readonly<Record<string, number>>
}

/**
 * Runs a thread that reads and converts records. Writes its batches in this thread, one after the other. Rejects with a
 * message for users if the import cannot continue, or with the reason of an aborted signal. Keeps rows that are already
 * written.
 */
async function runThread(ctx: Ctx, task: ImportTask, callbacks: ThreadCallbacks): Promise<Outcome> {
  const writer = new Writer(ctx.db, callbacks.signal)
  const rejected: Record<string, number> = {}
  let hasEnded = false
  let writing: Promise<void> = Promise.resolve()
  const write = async (batch: Batch): Promise<void> => {
    if (hasEnded) return
    const rows = await writer.write(batch)
    for (const { relation } of rows) rejected[relation] = (rejected[relation] ?? 0) + 1
    const failures = [...batch.failures, ...rows]
    if (failures.length > 0) callbacks.onFailures(failures)
  }
  try {
    const result = await runInThread<ImportWork>(workerFile(import.meta.url, './import'), task, {
      signal: callbacks.signal,
      memoryMb: 1024,
      onQuestion: (batch) => (writing = writing.then(() => write(batch))),
      onReport: (report) => {
        if (report.kind === 'ids') answerWith(task.answers, reserveIds(ctx.db, report.table, report.count))
        else if (report.kind === 'progress')
          callbacks.onProgress?.(report.relation, report.done, report.total)
        else ctx.log.error({ ...report.origin, stack: report.stack }, 'a record could not be imported')
      },
    })
    return { ...result, rejected }
  } catch (error) {
    throw problemOf(ctx, error)
  } finally {
    hasEnded = true
    // Waits for the current transaction, which is the last one.
    await writing.catch(() => undefined)
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
