import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { withReadableFile } from '../../../../db/other-connections.ts'
import { publish } from '../../../../events/publish.ts'
import { createBundle } from '../../../../git/transport/bundle.ts'
import { enqueue, job } from '../../../../jobs/job.ts'
import { cancelRun, cancelable, RunInterrupted } from '../../../../jobs/runs.ts'
import { isoTime } from '../../../../lib/clock.ts'
import { fail } from '../../../../lib/fail.ts'
import { moveDurably } from '../../../../lib/files/durable-file.ts'
import { runInThread, workerFile } from '../../../../threads/thread.ts'
import { type Group, findGroup } from '../../../groups/index.ts'
import { namespaceById, namespaceTreeIds } from '../../../namespaces/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { avatarFile } from '../../../storage/index.ts'
import { wikiRepository } from '../../../wikis/index.ts'
import { ArchiveProblem } from '../../archive/unpack.ts'
import { GroupExportChanged } from '../../events.ts'
import {
  archiveAnswer,
  archiveName,
  exportFile,
  ARCHIVE_LIFETIME_MS,
  removeFiles,
  workFolder,
  throttled,
  withCurrentTime,
} from '../../exports/files.ts'
import * as store from '../../exports/store.ts'
import type { GroupsTask, GroupsProgress, GroupsWork } from '../../relations/groups/archive/messages.ts'

const MEGABYTE = 1024 * 1024
const TOO_LARGE = 'The group is larger than the settings allow for an export.'

/** Writes the archive of a group. An interrupted export starts again. */
export const exportGroup = job(
  'group_transfer.export',
  { args: { export_id: z.number() }, retries: 100, lane: 'outside' },
  (ctx, { export_id }) => runExport(ctx, export_id),
)

async function runExport(ctx: Ctx, exportId: number): Promise<void> {
  const row = store.groupExportById(ctx.db, exportId)
  const group = row && findGroup(ctx, String(row.group_id))
  if (!group || !['queued', 'started'].includes(row.state)) return
  const now = withCurrentTime(ctx)
  updateExport(ctx, row.id, { state: 'started', step: 'repositories', done: 0, total: 0 })
  try {
    const run = { name: `group_export:${row.id}`, group_id: group.id }
    await cancelable(ctx, run, (signal) => writeArchive(now, row, group, signal))
  } catch (error) {
    if (error instanceof RunInterrupted) throw error
    ctx.log.warn({ err: error, group_id: group.id }, 'a group could not be exported')
    const sentence = error instanceof ArchiveProblem ? error.message : 'The group could not be exported.'
    updateExport(now(), row.id, { state: 'failed', error: sentence, step: null, finished_at: now().now })
  }
}

/** Updates an export and publishes the change. Does nothing if the export has ended, for example by cancellation. */
function updateExport(ctx: Ctx, id: number, changes: Partial<store.GroupExport>): void {
  tx(ctx.db, () => {
    const current = store.groupExportById(ctx.db, id)
    if (!current || !['queued', 'started'].includes(current.state)) return
    const row = store.update<store.GroupExport>(ctx.db, id, changes, ctx.now)!
    publish(ctx, GroupExportChanged, {
      group_id: row.group_id,
      actor_id: row.user_id,
      export_id: id,
      state: row.state,
    })
  })
}

async function writeArchive(
  now: () => Ctx,
  row: store.GroupExport,
  group: Group,
  signal: AbortSignal,
): Promise<void> {
  const ctx = now()
  const folder = await workFolder(ctx.config, `group-export-${row.id}`)
  const file = `${ctx.random.hex(16)}.tar.gz`
  const target = join(folder, file)
  try {
    const groups = groupsBelow(ctx, group)
    const files = [...(await wikiBundles(ctx, groups, folder, signal)), ...avatarsOf(ctx, groups)]
    const { url, version, revision } = ctx.config
    const task = {
      url,
      groups: groups.map(({ id }) => id),
      folder,
      target,
      files,
      version,
      revision,
      now: ctx.now,
    }
    const onProgress = throttled((progress) => updateExport(now(), row.id, progress))
    const size = await withReadableFile(ctx.db, folder, (database) =>
      writeGroupArchive({ ...task, database }, { signal, onProgress }),
    )
    const { max_export_size } = settingsOf(ctx)
    if (max_export_size > 0 && size > max_export_size * MEGABYTE) throw new ArchiveProblem(TOO_LARGE)
    signal.throwIfAborted()
    await moveDurably(target, exportFile(ctx.config, 'groups', file))
    await recordSuccess(now(), row, group, { file, size })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The group and its subgroups, parents first. */
function groupsBelow(ctx: Ctx, group: Group): Group[] {
  const groups = namespaceTreeIds(ctx.db, group.id).map((id) => namespaceById(ctx.db, id) as Group)
  const depth = ({ lineage }: Group): number => (JSON.parse(lineage) as number[]).length
  return groups.filter(Boolean).sort((a, b) => depth(a) - depth(b) || a.id - b.id)
}

async function recordSuccess(
  ctx: Ctx,
  row: store.GroupExport,
  group: Group,
  archive: { file: string; size: number },
): Promise<void> {
  const expires_at = isoTime(Date.parse(ctx.now) + ARCHIVE_LIFETIME_MS)
  const file_name = archiveName(group.full_path, ctx.now)
  updateExport(ctx, row.id, {
    ...archive,
    file_name,
    expires_at,
    state: 'finished',
    step: null,
    finished_at: ctx.now,
  })
  const isStored = store.groupExportById(ctx.db, row.id)?.file === archive.file
  const owner = { kind: 'group', id: group.id } as const
  const unused = isStored ? tx(ctx.db, () => store.deleteOlder(ctx.db, owner, row.id)) : [archive.file]
  await removeFiles(ctx.config, 'groups', unused)
}

/** A file of an archive: its name there, and its path on disk. */
interface ArchiveFile {
  readonly name: string
  readonly file: string
}

/** The avatars of groups. Each group has a folder in the archive. */
function avatarsOf(ctx: Ctx, groups: readonly Group[]): ArchiveFile[] {
  return groups.flatMap(({ id, avatar }) => {
    if (avatar === null) return []
    const file = avatarFile(ctx.config, 'group', id, avatar)
    return existsSync(file) ? [{ name: `avatar/${id}/${avatar}`, file }] : []
  })
}

/** Writes the wikis of groups into bundles. A wiki without pages has no bundle (spec administration 6.8). */
async function wikiBundles(
  ctx: Ctx,
  groups: readonly Group[],
  folder: string,
  signal: AbortSignal,
): Promise<ArchiveFile[]> {
  const bundles: ArchiveFile[] = []
  for (const group of groups) {
    const result = wikiRepository(ctx, { group })
    if (!result) continue
    const file = join(folder, `${group.id}.wiki.bundle`)
    const name = `repositories/${group.id}.wiki.bundle`
    if (await createBundle(result.repo, file, { signal })) bundles.push({ name, file })
  }
  return bundles
}

const ownerOf = ({ id }: Group) => ({ kind: 'group', id }) as const

/** Stores an export of a group with its subgroups and enqueues its job, unless an export is in progress. */
export function startExport(ctx: Ctx, group: Group): void {
  tx(ctx.db, () => {
    const last = store.newest(ctx.db, ownerOf(group))
    if (last && ['queued', 'started'].includes(last.state)) return
    const row = store.insertGroupExport(ctx.db, group.id, ctx.actor.id, ctx.now)
    enqueue(ctx, exportGroup, { export_id: row.id }, { key: `group_export:${group.id}` })
    publishChange(ctx, row)
  })
}

function publishChange(ctx: Ctx, { id, group_id, user_id, state }: store.GroupExport): void {
  publish(ctx, GroupExportChanged, { group_id, actor_id: user_id, export_id: id, state })
}

/** Cancels the running export. Throws 409 if there is none. */
export function cancelExport(ctx: Ctx, group: Group): void {
  const last = store.newest(ctx.db, ownerOf(group))
  if (!last || !['queued', 'started'].includes(last.state))
    throw fail('conflict', 'No export of this group is running.')
  tx(ctx.db, () => {
    const changes = { state: 'canceled', finished_at: ctx.now } as const
    const row = store.update<store.GroupExport>(ctx.db, last.id, changes, ctx.now)
    if (row) publishChange(ctx, row)
  })
  void cancelRun(ctx, `group_export:${last.id}`)
}

/** The latest export of a group, and the latest archive that can be downloaded. */
export function progressOf(ctx: Ctx, group: Group) {
  return {
    newest: store.newest(ctx.db, ownerOf(group)),
    available: store.newestWithFile(ctx.db, ownerOf(group), ctx.now),
  }
}

/** Returns the archive as an answer. Throws 404 if it does not exist or has expired (spec administration 6.8). */
export function archiveOf(ctx: Ctx, group: Group) {
  return archiveAnswer(ctx.config, 'groups', store.newestWithFile(ctx.db, ownerOf(group), ctx.now))
}

/**
 * Runs a thread that writes an archive of groups. Returns the size of the archive. Rejects with ArchiveProblem, which
 * has a message for users, or with the reason of an aborted signal. The caller removes partial files.
 */
function writeGroupArchive(
  task: GroupsTask,
  { signal, onProgress }: { readonly signal?: AbortSignal; onProgress?(progress: GroupsProgress): void } = {},
): Promise<number> {
  const file = workerFile(import.meta.url, '../../relations/groups/archive/groups')
  const options = { signal, onReport: onProgress, memoryMb: 512, problem: ArchiveProblem }
  return runInThread<GroupsWork>(file, task, options)
}
