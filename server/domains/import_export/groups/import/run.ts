import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { z } from 'zod'

import type { Config } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { job } from '../../../../jobs/job.ts'
import { cancelable, RunInterrupted } from '../../../../jobs/runs.ts'
import { Failure } from '../../../../lib/fail.ts'
import { deleteGroup, findGroup, type Group } from '../../../groups/index.ts'
import { firstSentence } from '../../imports/target.ts'
import { reasonOf } from '../../imports/reasons.ts'
import { inNameOf } from '../../../planning/index.ts'
import { namespaceById } from '../../../namespaces/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { GroupImportChanged } from '../../events.ts'
import { ArchiveProblem } from '../../archive/problem.ts'
import { unpackArchive } from '../../archive/unpack.ts'
import { workFolder } from '../../exports/files.ts'
import { timed } from '../../exports/progress.ts'
import { fillGroup } from './fill.ts'
import * as store from './store.ts'
import { readTree } from './tree.ts'

const MEGABYTE = 1024 * 1024
const GONE = 'The user who imported this group is gone, or may not import any more.'
const UNKNOWN = 'The group could not be imported because of an error of this instance.'

/** The folder of archives that wait for their import. */
export function archiveFolder(config: Pick<Config, 'dataDir'>): string {
  return join(config.dataDir, 'imports', 'groups')
}

export function archiveFile(config: Pick<Config, 'dataDir'>, name: string): string {
  return join(archiveFolder(config), name)
}

/** Imports an archive into its group. An interrupted import starts again from an empty group. */
export const importGroup = job(
  'group_transfer.import',
  { args: { group_id: z.number() }, retries: 100, lane: 'outside' },
  (ctx, { group_id }) => takeOver(ctx, group_id),
)

/** Fills a group from its archive, and stores the outcome. Throws only when the group is deleted or the instance stops. */
async function takeOver(ctx: Ctx, groupId: number): Promise<void> {
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
export function publishChange(ctx: Ctx, { group_id, user_id, state }: store.GroupImport): void {
  publish(ctx, GroupImportChanged, { group_id, actor_id: user_id, state })
}

/** Stores the state or the progress of an import, unless the group is gone. */
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
  const acting = inNameOf(ctx, row.user_id)
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
