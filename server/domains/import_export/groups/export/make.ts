import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { createBundle } from '../../../../git/transport/bundle.ts'
import { isoTime } from '../../../../lib/clock.ts'
import { keepFile } from '../../../../lib/files/durable-file.ts'
import { findGroup, type Group } from '../../../groups/index.ts'
import { namespaceById, namespaceTreeIds } from '../../../namespaces/index.ts'
import { settingsOf } from '../../../settings/index.ts'
import { avatarFile } from '../../../storage/index.ts'
import { wikiRepository } from '../../../wikis/index.ts'
import { ArchiveProblem } from '../../archive/problem.ts'
import { writeGroupArchive } from '../../relations/groups/archive/run-thread.ts'
import { GroupExportChanged } from '../events.ts'
import { keptFile, removeKept, workFolder } from '../files.ts'
import { Stopping, TakenBack, abortable, timed } from '../running.ts'
import * as store from './store.ts'

const MAX_NAME = 51

/** The name that a download has (spec administration 6.1): when it was made, and what it is of. */
function archiveName(fullPath: string, now: string): string {
  const moment = now.replace('T', '_').replaceAll(':', '-').replace('.', '-').replace('Z', '')
  const path = fullPath.replaceAll('/', '_').replaceAll(/[^\w.-]/g, '_')
  return `${`${moment}_${path}`.slice(0, MAX_NAME)}_export.tar.gz`
}

/** How long an archive can be downloaded (spec administration 6.1). */
const LIFE_MS = 24 * 3600 * 1000
/** Progress is stored at most so often. */
const TELL_MS = 1000
const MEGABYTE = 1024 * 1024
const TOO_LARGE = 'The group is larger than the settings allow for an export.'

/** Writes the archive that was asked for, and notes how that went. Throws only when the instance stops. */
export async function makeExport(ctx: Ctx, exportId: number): Promise<void> {
  const row = store.byId(ctx.db, exportId)
  const group = row && findGroup(ctx, String(row.group_id))
  if (!group || !['queued', 'started'].includes(row.state)) return
  const now = timed(ctx)
  change(ctx, row.id, { state: 'started', step: 'repositories', done: 0, total: 0 })
  try {
    await abortable(ctx, `group_export:${row.id}`, (signal) => write(now, row, group, signal))
  } catch (error) {
    if (error instanceof TakenBack) return
    if (error instanceof Stopping) throw error
    ctx.log.warn({ err: error, group_id: group.id }, 'a group could not be exported')
    const sentence = error instanceof ArchiveProblem ? error.message : 'The group could not be exported.'
    change(now(), row.id, { state: 'failed', error: sentence, step: null, finished_at: now().now })
  }
}

/** Rows that were taken back meanwhile stay as they are. */
function change(ctx: Ctx, id: number, changes: Partial<store.GroupExport>): void {
  tx(ctx.db, () => {
    const current = store.byId(ctx.db, id)
    if (!current || !['queued', 'started'].includes(current.state)) return
    const row = store.update(ctx.db, id, changes, ctx.now)!
    publish(ctx, GroupExportChanged, {
      group_id: row.group_id,
      actor_id: row.user_id,
      export_id: id,
      state: row.state,
    })
  })
}

async function write(
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
    const { dataDir, url, version, revision } = ctx.config
    const order = {
      database: dataPaths(dataDir).database,
      url,
      groups: groups.map(({ id }) => id),
      folder,
      target,
      files,
      version,
      revision,
      now: ctx.now,
    }
    const tell = throttled((changes) => change(now(), row.id, changes))
    const { size } = await writeGroupArchive(order, { signal, onProgress: tell })
    const { max_export_size } = settingsOf(ctx)
    if (max_export_size > 0 && size > max_export_size * MEGABYTE) throw new ArchiveProblem(TOO_LARGE)
    signal.throwIfAborted()
    await keepFile(target, keptFile(ctx.config, 'groups', file))
    await finish(now(), row, group, { file, size })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The group and all below it, those above first. */
function groupsBelow(ctx: Ctx, group: Group): Group[] {
  const found = namespaceTreeIds(ctx.db, group.id).map((id) => namespaceById(ctx.db, id) as Group)
  const depth = ({ lineage }: Group): number => (JSON.parse(lineage) as number[]).length
  return found.filter(Boolean).sort((a, b) => depth(a) - depth(b) || a.id - b.id)
}

async function finish(
  ctx: Ctx,
  row: store.GroupExport,
  group: Group,
  made: { file: string; size: number },
): Promise<void> {
  const expires_at = isoTime(Date.parse(ctx.now) + LIFE_MS)
  const file_name = archiveName(group.full_path, ctx.now)
  change(ctx, row.id, {
    ...made,
    file_name,
    expires_at,
    state: 'finished',
    step: null,
    finished_at: ctx.now,
  })
  if (store.byId(ctx.db, row.id)?.file !== made.file) return removeKept(ctx.config, 'groups', made.file)
  const older = tx(ctx.db, () => store.takeOlderFiles(ctx.db, group.id, row.id))
  for (const name of older) await removeKept(ctx.config, 'groups', name)
}

type Progress = { readonly step: string; readonly done: number; readonly total: number }

function throttled(tell: (progress: Progress) => void): (progress: Progress) => void {
  let told = -Infinity
  let step = ''
  return ({ done, total, ...progress }) => {
    const now = performance.now()
    if (progress.step === step && now - told < TELL_MS) return
    told = now
    step = progress.step
    tell({ step, done, total })
  }
}

/** A file of an archive and where it lies. */
interface Part {
  readonly name: string
  readonly file: string
}

/** The pictures of some groups, in a folder for each. */
function avatarsOf(ctx: Ctx, groups: readonly Group[]): Part[] {
  return groups.flatMap(({ id, avatar }) => {
    if (avatar === null) return []
    const file = avatarFile(ctx.config, 'group', id, avatar)
    return existsSync(file) ? [{ name: `avatar/${id}/${avatar}`, file }] : []
  })
}

/** Writes the wikis of some groups into bundles; one without a page has none (spec administration 6.8). */
async function wikiBundles(
  ctx: Ctx,
  groups: readonly Group[],
  folder: string,
  signal: AbortSignal,
): Promise<Part[]> {
  const parts: Part[] = []
  for (const group of groups) {
    const found = wikiRepository(ctx, { group })
    if (!found) continue
    const file = join(folder, `${group.id}.wiki.bundle`)
    const name = `repositories/${group.id}.wiki.bundle`
    if (await createBundle(found.repo, file, { signal })) parts.push({ name, file })
  }
  return parts
}
