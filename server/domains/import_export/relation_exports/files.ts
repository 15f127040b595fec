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
import { lfsObjectsOf, uploadsOf } from '../exports/store-files.ts'
import type { Owner } from '../relations/relation.ts'
import { avatarFile } from '../../storage/index.ts'

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
  for (const { secret, file_name } of uploadsOf(ctx.db, id)) {
    const file = join(folder, secret, file_name)
    if (existsSync(file)) yield { name: `${secret}/${file_name}`, file }
  }
}

function* largeFiles(ctx: Ctx, projectId: number): Generator<ArchiveEntry> {
  const types: Record<string, unknown> = {}
  for (const one of lfsObjectsOf(ctx.db, projectId)) {
    const file = lfsFile(ctx.config, one.oid)
    if (!existsSync(file)) continue
    types[one.oid] = JSON.parse(one.types)
    yield { name: one.oid, file }
  }
  yield { name: 'lfs_objects.json', bytes: JSON.stringify(types) }
}
