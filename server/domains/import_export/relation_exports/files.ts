import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { createBundle } from '../../../git/transport/bundle.ts'
import { findGroup } from '../../groups/index.ts'
import { lfsFile } from '../../storage/index.ts'
import { projectById, repoOf } from '../../projects/index.ts'
import { writeArchive, type ArchiveEntry } from '../archive/write.ts'
import type { Owner } from '../relations/relation.ts'
import { avatarFile } from '../../storage/index.ts'

/** Rows that are read at once. */
const PAGE = 500

interface Wanted {
  readonly owner: Owner
  readonly relation: string
  readonly target: string
}

/** Packs a relation that is files and not records (spec administration 6.7). */
export async function writeFilesOf(ctx: Ctx, wanted: Wanted, signal: AbortSignal): Promise<void> {
  if (wanted.relation === 'repository') return writeRepository(ctx, wanted, signal)
  const entries =
    wanted.relation === 'uploads'
      ? uploads(ctx, wanted.owner)
      : wanted.relation === 'lfs_objects'
        ? largeFiles(ctx, wanted.owner.id)
        : []
  await writeArchive(wanted.target, entries, { signal, mtime: new Date(ctx.now) })
}

async function writeRepository(ctx: Ctx, { owner, target }: Wanted, signal: AbortSignal): Promise<void> {
  const project = projectById(ctx.db, owner.id)
  const folder = await mkdtemp(join(dirname(target), 'bundle-'))
  try {
    const file = join(folder, 'repository.bundle')
    const isThere = project !== undefined && (await createBundle(repoOf(ctx, project), file, { signal }))
    const entries = isThere ? [{ name: 'repository.bundle', file }] : []
    await writeArchive(target, entries, { signal, mtime: new Date(ctx.now) })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function* uploads(ctx: Ctx, owner: Owner): Generator<ArchiveEntry> {
  const { kind, id } = owner
  const avatar = (kind === 'project' ? projectById(ctx.db, id) : findGroup(ctx, String(id)))?.avatar ?? null
  if (avatar !== null) {
    const file = avatarFile(ctx.config, kind, id, avatar)
    if (existsSync(file)) yield { name: `avatar/${avatar}`, file }
  }
  if (kind === 'group') return
  const folder = join(dataPaths(ctx.config.dataDir).uploads, 'project', String(id))
  const sql = `SELECT id, secret, file_name FROM uploads WHERE project_id = ? AND id > ? ORDER BY id LIMIT ${PAGE}`
  for (const { secret, file_name } of paged<{ id: number; secret: string; file_name: string }>(
    ctx,
    sql,
    id,
  )) {
    const file = join(folder, secret, file_name)
    if (existsSync(file)) yield { name: `${secret}/${file_name}`, file }
  }
}

function* largeFiles(ctx: Ctx, projectId: number): Generator<ArchiveEntry> {
  const sql = `SELECT o.id, o.oid, json_group_array(p.repository_type) AS types
    FROM lfs_objects_projects p JOIN lfs_objects o ON o.id = p.lfs_object_id
    WHERE p.project_id = ? AND o.id > ? GROUP BY o.id ORDER BY o.id LIMIT ${PAGE}`
  const types: Record<string, unknown> = {}
  for (const one of paged<{ id: number; oid: string; types: string }>(ctx, sql, projectId)) {
    const file = lfsFile(ctx.config, one.oid)
    if (!existsSync(file)) continue
    types[one.oid] = JSON.parse(one.types)
    yield { name: one.oid, file }
  }
  yield { name: 'lfs_objects.json', bytes: JSON.stringify(types) }
}

/** Rows of a list, some at a time: nothing stays open while files are packed. */
function* paged<Row extends { id: number }>({ db }: Ctx, sql: string, ownerId: number): Generator<Row> {
  for (let last = 0; ;) {
    const rows = db.many<Row>(sql, ownerId, last)
    yield* rows
    if (rows.length < PAGE) return
    last = rows.at(-1)!.id
  }
}
