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
import { workFolder, timed } from '../../exports/files.ts'
import { reasonOf } from '../../imports/status.ts'
import { countFailures, failuresOf } from '../../imports/store.ts'
import { moveDurably } from '../../../../lib/files/durable-file.ts'
import { firstSentence } from '../../imports/target.ts'
import { fillGroup, readTree } from './fill.ts'
import * as store from './store.ts'

const MEGABYTE = 1024 * 1024
const GONE = 'The user who imported this group was deleted, or may no longer import.'
const UNKNOWN = 'The group could not be imported because of an error of this instance.'

/** The folder of archives that wait for their import. */
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
  (ctx, { group_id }) => fillFromArchive(ctx, group_id),
)

/**
 * Fills a group from its archive, and stores the outcome. Throws only when the group is deleted or the instance stops.
 */
async function fillFromArchive(ctx: Ctx, groupId: number): Promise<void> {
  const row = store.ofGroup(ctx.db, groupId)
  const group = findGroup(ctx, String(groupId))
  if (!row || !group || !['created', 'started'].includes(row.state)) return
  const now = timed(ctx)
  try {
    const run = { name: `group_import:${groupId}`, group_id: groupId }
    await cancelable(ctx, run, (signal) => fill(now, group, row, signal))
    end(now(), groupId, { state: 'finished', step: null })
  } catch (error) {
    if (error instanceof RunInterrupted) throw error
    if (findGroup(ctx, String(groupId)) === undefined) return
    ctx.log.warn({ err: error, group_id: groupId }, 'a group could not be imported')
    emptyGroup(now(), group, row.user_id)
    end(now(), groupId, { state: 'failed', step: null, error: sentenceOf(error) })
  }
  if (row.file !== null) await rm(archiveFile(ctx.config, row.file), { force: true })
}

/** Publishes a change of an import, in its transaction. */
function publishChange(ctx: Ctx, { group_id, user_id, state }: store.GroupImport): void {
  publish(ctx, GroupImportChanged, { group_id, actor_id: user_id, state })
}

/** Stores the state or the progress of an import, unless the group was deleted. */
function note(ctx: Ctx, groupId: number, changes: Partial<store.GroupImport>): void {
  tx(ctx.db, () => {
    const row = store.update(ctx.db, groupId, changes, ctx.now)
    if (row) publishChange(ctx, row)
  })
}

function sentenceOf(error: unknown): string {
  if (error instanceof ArchiveProblem) return error.message
  if (error instanceof Failure) return firstSentence(error) ?? UNKNOWN
  return reasonOf(error, UNKNOWN)
}

function end(ctx: Ctx, groupId: number, changes: Partial<store.GroupImport>): void {
  note(ctx, groupId, { ...changes, file: null })
}

async function fill(
  now: () => Ctx,
  group: Group,
  row: store.GroupImport,
  signal: AbortSignal,
): Promise<void> {
  const ctx = now()
  note(ctx, group.id, { state: 'started', step: 'unpacking', done: 0, total: 0 })
  // An interrupted attempt may have created content.
  emptyGroup(ctx, group, row.user_id)
  const acting = onBehalfOf(ctx, row.user_id)
  if (!acting || row.file === null) throw new ArchiveProblem(GONE)
  const folder = await workFolder(ctx.config, `group-import-${group.id}`)
  try {
    const unpacked = join(folder, 'unpacked')
    await unpackArchive(archiveFile(ctx.config, row.file), unpacked, limitsOf(ctx), { signal })
    const tree = await readTree(unpacked)
    await fillGroup({ acting, now, note: (changes) => note(now(), group.id, changes) }, group, tree, {
      folder: unpacked,
      signal,
    })
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

/** Removes everything that an import created. The group itself stays, with the reason of a failure. */
function emptyGroup(ctx: Ctx, group: Group, importerId: number | null): void {
  for (const id of store.childrenOf(ctx.db, group.id)) deleteGroup(ctx, namespaceById(ctx.db, id) as Group)
  tx(ctx.db, () => store.empty(ctx.db, group.id, importerId))
}

/** A new group from an uploaded archive. */
export interface GroupInput {
  readonly name: string
  readonly path: string
  readonly parent_id?: number | undefined
  readonly file: { readonly path: string }
}

/** Failed records that the window shows. */
const SHOWN = 100

/**
 * Creates a private group and stores the import of the archive into it, with its job. Throws 400 for names and paths
 * that are invalid or taken, 404 for an unknown parent, 403 where the actor may not create a group.
 */
export async function importFrom(ctx: Ctx, { file, ...input }: GroupInput): Promise<Group> {
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
  const { rows } = failuresOf(ctx.db, owner, { limit: SHOWN, offset: 0 })
  return { row, group, failures: rows, failuresCount: countFailures(ctx.db, owner) }
}
