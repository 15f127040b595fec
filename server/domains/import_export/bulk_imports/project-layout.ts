import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { createBundle } from '../../../git/transport/bundle.ts'
import { repoAt } from '../../../git/process/engine.ts'
import { fetchAll } from '../../../git/transport/fetch-all.ts'
import { createBareRepository } from '../../../git/upkeep/repository.ts'
import type { ArchiveEntry } from '../archive/write.ts'
import type { EntityRun } from './entity-run.ts'
import { fetchFiles, fetchRecords } from './fetching.ts'
import { orNoted } from './relations.ts'
import { isFile, SELF, type SourceRelation } from './waiting.ts'

/** The layout that archives have (spec administration 6.2). */
const LAYOUT = '0.2.4'

/**
 * Fetches the relations of a project into a folder, laid out as an archive is. What cannot be fetched is noted and left out, all
 * but the project's own attributes.
 */
export async function layOut(
  run: EntityRun,
  folder: string,
  found: ReadonlyMap<string, SourceRelation>,
): Promise<void> {
  await mkdir(join(folder, 'tree', 'project'), { recursive: true })
  await fetchRecords(run, SELF, folder, join(folder, 'tree', 'project.json'))
  for (const { relation, isReady, error } of found.values()) {
    if (relation === SELF || isFile('project', relation)) continue
    if (error !== null)
      run.fail({ relation, step: 'export', exception_class: 'ExportFailed', exception_message: error })
    if (!isReady) continue
    const target = join(folder, 'tree', 'project', `${relation}.ndjson`)
    await orNoted(run, relation, () => fetchRecords(run, relation, folder, target))
  }
  const isReady = (relation: string): boolean => found.get(relation)?.isReady === true
  await orNoted(run, 'repository', () => layRepository(run, folder, isReady('repository')))
  if (isReady('uploads')) await orNoted(run, 'uploads', () => layUploads(run, folder))
  if (isReady('lfs_objects')) await orNoted(run, 'lfs_objects', () => layLargeFiles(run, folder))
}

/** As the other instance has packed it, or fetched from it by git. */
async function layRepository(run: EntityRun, folder: string, isPacked: boolean): Promise<void> {
  const target = join(folder, 'project.bundle')
  const files = join(folder, 'repository-files')
  if (isPacked) {
    await fetchFiles(run, 'repository', folder, files)
    const bundle = join(files, 'repository.bundle')
    if (existsSync(bundle)) await rename(bundle, target)
    return rm(files, { recursive: true, force: true })
  }
  const { source, signal, acting, row } = run
  const url = `${source.url}/${row.source_full_path}.git`
  const address = await acting.outbound.addressOfUrl(url)
  const repo = repoAt(acting.git, folder, 'repository.git')
  await createBareRepository(repo, { defaultBranch: 'main' })
  await fetchAll(repo, { url, authorization: source.authorization, address }, { signal })
  await createBundle(repo, target, { signal })
  await rm(join(folder, 'repository.git'), { recursive: true, force: true })
}

async function layUploads(run: EntityRun, folder: string): Promise<void> {
  const files = join(folder, 'uploads')
  await fetchFiles(run, 'uploads', folder, files)
  const avatar = join(files, 'avatar')
  if (existsSync(avatar)) await rename(avatar, join(folder, 'avatar'))
}

async function layLargeFiles(run: EntityRun, folder: string): Promise<void> {
  const files = join(folder, 'lfs-objects')
  await fetchFiles(run, 'lfs_objects', folder, files)
  const list = join(files, 'lfs_objects.json')
  if (existsSync(list)) await rename(list, join(folder, 'lfs-objects.json'))
}

/** Everything in a folder that was laid out, as entries of an archive. */
export async function* entriesOf(folder: string): AsyncGenerator<ArchiveEntry> {
  yield { name: 'VERSION', bytes: LAYOUT }
  yield* below(folder, '')
}

async function* below(folder: string, prefix: string): AsyncGenerator<ArchiveEntry> {
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* below(folder, name)
    else if (entry.isFile()) yield { name, file: join(folder, name) }
  }
}
