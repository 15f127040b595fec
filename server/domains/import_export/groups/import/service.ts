import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

import type { Config } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { enqueue, job } from '../../../../jobs/job.ts'
import { cancelable, RunInterrupted } from '../../../../jobs/runs.ts'
import { Failure } from '../../../../lib/fail.ts'
import { createGroup, deleteGroup, type Group, findGroup } from '../../../groups/index.ts'
import { namespaceById } from '../../../namespaces/index.ts'
import { onBehalfOf } from '../../../planning/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { unpackArchive, ArchiveProblem } from '../../archive/unpack.ts'
import { GroupImportChanged } from '../../events.ts'
import { workFolder, withCurrentTime } from '../../exports/files.ts'
import { reasonOf } from '../../imports/status.ts'
import { countFailures, failuresOf } from '../../imports/store.ts'
import { moveDurably } from '../../../../lib/files/durable-file.ts'
import { firstSentence } from '../../imports/target.ts'
import { importGroups, readTree } from './fill.ts'
import * as store from './store.ts'

const MEGABYTE = 1024 * 1024
const NO_IMPORTER = 'The user who imported this group was deleted, or may no longer import.'
const INTERNAL_ERROR = 'The group could not be imported because of an error on this instance.'

/** The folder of archives that are being imported. */
export function archiveFolder(config: Pick<Config, 'dataDir'>): string {
  return join(config.dataDir, 'imports', 'groups')
}

function archiveFile(config: Pick<Config, 'dataDir'>, name: string): string {
  return join(archiveFolder(config), name)
}

/** Imports an archive into its group. An interrupted import starts again from an empty group. */
export const importGroup = job(
  'group_transfer.import',
  { args: { group_id: z.number() }, retries: 100, lane: 'outside' },
  (ctx, { group_id }) => runImport(ctx, group_id),
)

/**
 * Imports the archive into a group and stores the outcome. Throws only if the group is deleted or the instance stops.
 */
async function runImport(ctx: Ctx, groupId: number): Promise<void> {
  const row = store.ofGroup(ctx.db, groupId)
  const group = findGroup(ctx, String(groupId))
  if (!row || !group || !['created', 'started'].includes(row.state)) return
  const now = withCurrentTime(ctx)
  try {
    const run = { name: `group_import:${groupId}`, group_id: groupId }
    await cancelable(ctx, run, (signal) => importArchive(now, group, row, signal))
    recordEnd(now(), groupId, { state: 'finished', step: null })
  } catch (error) {
    if (error instanceof RunInterrupted) throw error
    if (findGroup(ctx, String(groupId)) === undefined) return
    ctx.log.warn({ err: error, group_id: groupId }, 'a group could not be imported')
    emptyGroup(now(), group, row.user_id)
    recordEnd(now(), groupId, { state: 'failed', step: null, error: sentenceOf(error) })
  }
  if (row.file !== null) await rm(archiveFile(ctx.config, row.file), { force: true })
}

/** Publishes a change of an import, in its transaction. */
function publishChange(ctx: Ctx, { group_id, user_id, state }: store.GroupImport): void {
  publish(ctx, GroupImportChanged, { group_id, actor_id: user_id, state })
}

/** Stores the state or the progress of an import, unless the group was deleted. */
function storeProgress(ctx: Ctx, groupId: number, changes: Partial<store.GroupImport>): void {
  tx(ctx.db, () => {
    const row = store.update(ctx.db, groupId, changes, ctx.now)
    if (row) publishChange(ctx, row)
  })
}

function sentenceOf(error: unknown): string {
  if (error instanceof ArchiveProblem) return error.message
  if (error instanceof Failure) return firstSentence(error) ?? INTERNAL_ERROR
  return reasonOf(error, INTERNAL_ERROR)
}

function recordEnd(ctx: Ctx, groupId: number, changes: Partial<store.GroupImport>): void {
  storeProgress(ctx, groupId, { ...changes, file: null })
}

async function importArchive(
  now: () => Ctx,
  group: Group,
  row: store.GroupImport,
  signal: AbortSignal,
): Promise<void> {
  const ctx = now()
  storeProgress(ctx, group.id, { state: 'started', step: 'unpacking', done: 0, total: 0 })
  // An interrupted attempt may have created content.
  emptyGroup(ctx, group, row.user_id)
  const userCtx = onBehalfOf(ctx, row.user_id)
  if (!userCtx || row.file === null) throw new ArchiveProblem(NO_IMPORTER)
  const folder = await workFolder(ctx.config, `group-import-${group.id}`)
  try {
    const unpacked = join(folder, 'unpacked')
    await unpackArchive(archiveFile(ctx.config, row.file), unpacked, limitsOf(ctx), { signal })
    const tree = await readTree(unpacked)
    await importGroups(
      { userCtx, now, storeProgress: (changes) => storeProgress(now(), group.id, changes) },
      group,
      tree,
      {
        folder: unpacked,
        signal,
      },
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function limitsOf(ctx: Ctx) {
  const { max_decompressed_archive_size, decompress_archive_file_timeout } = settingsOf(ctx)
  return {
    maxBytes: max_decompressed_archive_size * MEGABYTE,
    timeoutMs: decompress_archive_file_timeout * 1000,
  }
}

/** Deletes everything that an import created, but not the group itself. */
function emptyGroup(ctx: Ctx, group: Group, importerId: number | null): void {
  for (const id of store.childrenOf(ctx.db, group.id)) deleteGroup(ctx, namespaceById(ctx.db, id) as Group)
  tx(ctx.db, () => store.deleteContent(ctx.db, group.id, importerId))
}

/** The parameters of a group import. */
export interface GroupInput {
  readonly name: string
  readonly path: string
  readonly parent_id?: number | undefined
  readonly file: { readonly path: string }
}

/** Number of failed records that the window shows. */
const MAX_FAILURES = 100

/**
 * Creates a private group and stores the import of the archive into it, with its job. Throws 400 for names and paths
 * that are invalid or taken, 404 for an unknown parent, and 403 if the actor may not create the group.
 */
export async function startImport(ctx: Ctx, { file, ...input }: GroupInput): Promise<Group> {
  const group = await createGroup(ctx, { ...input, columns: { visibility: 'private' } })
  const name = `${group.id}.tar.gz`
  try {
    await mkdir(archiveFolder(ctx.config), { recursive: true, mode: 0o700 })
    await moveDurably(file.path, archiveFile(ctx.config, name))
    tx(ctx.db, () => {
      const row = store.insert(ctx.db, { group_id: group.id, user_id: ctx.actor.id, file: name }, ctx.now)
      enqueue(ctx, importGroup, { group_id: group.id }, { key: `group_import:${group.id}` })
      publishChange(ctx, row)
    })
    return group
  } catch (error) {
    await rm(archiveFile(ctx.config, name), { force: true })
    deleteGroup(ctx, group)
    throw error
  }
}

/** The progress of the import of a group, for the window. */
export function progressOf(ctx: Ctx, group: Group) {
  const row = store.ofGroup(ctx.db, group.id)
  const owner = { group_id: group.id }
  const { rows } = failuresOf(ctx.db, owner, { limit: MAX_FAILURES, offset: 0 })
  return { row, group, failures: rows, failuresCount: countFailures(ctx.db, owner) }
}
