import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { Failure } from '../../../../lib/fail.ts'
import { deleteGroup, findGroup, type Group } from '../../../groups/index.ts'
import { firstSentence } from '../../imports/target.ts'
import { reasonOf } from '../../imports/reasons.ts'
import { inNameOf } from '../../../planning/index.ts'
import { namespaceById } from '../../../namespaces/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { ArchiveProblem } from '../../archive/problem.ts'
import { unpackArchive } from '../../archive/unpack.ts'
import { workFolder } from '../files.ts'
import { abortable, Stopping, TakenBack, timed } from '../running.ts'
import { archiveFile } from './files.ts'
import { fillGroup } from './fill.ts'
import { note } from './notes.ts'
import * as store from './store.ts'
import { readTree } from './tree.ts'

const MEGABYTE = 1024 * 1024
const GONE = 'Whoever imported this group is gone, or may not import any more.'
const UNKNOWN = 'The group could not be imported because of an error of this instance.'

/** Fills a group from its archive and notes how that went. Throws only when the instance stops. */
export async function takeOver(ctx: Ctx, groupId: number): Promise<void> {
  const row = store.ofGroup(ctx.db, groupId)
  const group = findGroup(ctx, String(groupId))
  if (!row || !group || !['created', 'started'].includes(row.state)) return
  const now = timed(ctx)
  try {
    await abortable(ctx, `group_import:${groupId}`, (signal) => fill(now, group, row, signal))
    end(now(), groupId, { state: 'finished', step: null })
  } catch (error) {
    if (error instanceof TakenBack || findGroup(ctx, String(groupId)) === undefined) return
    if (error instanceof Stopping) throw error
    ctx.log.warn({ err: error, group_id: groupId }, 'a group could not be imported')
    emptyGroup(now(), group, row.user_id)
    end(now(), groupId, { state: 'failed', step: null, error: sentenceOf(error) })
  }
  if (row.file !== null) await rm(archiveFile(ctx.config, row.file), { force: true })
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
  // What an attempt made that a crash cut off.
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

/** Takes away what an import made, so that nothing half made remains; the group itself stays and says what went wrong. */
function emptyGroup(ctx: Ctx, group: Group, importerId: number | null): void {
  for (const id of store.childrenOf(ctx.db, group.id)) deleteGroup(ctx, namespaceById(ctx.db, id) as Group)
  tx(ctx.db, () => store.empty(ctx.db, group.id, importerId))
}
