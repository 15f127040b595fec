import { existsSync, createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rm, stat, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { tx } from '../../../db/database.ts'
import { repoAt } from '../../../git/process/engine.ts'
import { createBundle } from '../../../git/transport/bundle.ts'
import { createBareRepository } from '../../../git/upkeep/repository.ts'
import { findGroup, updateGroup, type Group } from '../../groups/index.ts'
import { projectById } from '../../projects/index.ts'
import { cleanFileName } from '../../storage/index.ts'
import { LAYOUT_VERSION, writeArchive, type ArchiveEntry } from '../archive/write.ts'
import { workFolder } from '../exports/files.ts'
import { deleteContent } from '../groups/import/store.ts'
import { archiveNames, archivePath } from '../imports/files.ts'
import { countFailuresByRelation, update as updateRun } from '../imports/store.ts'
import { importArchive } from '../projects/import/engine/import-archive.ts'
import { importTree } from '../projects/import/engine/import-tree.ts'
import { SourceProblem, apiPathOf } from './source.ts'
import type { EntityStats } from './state.ts'
import { isFileRelation, relationStatuses, type SourceRelation, SELF } from './waiting.ts'
import { type EntityRun, moveFailures, attemptRelation } from './work.ts'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { settingsOf } from '../../settings/index.ts'
import { unpackArchive, ArchiveProblem } from '../archive/unpack.ts'
import { fetchAll, remoteHead } from '../../../git/transport/fetch.ts'
import { fillWiki, type WikiOwner } from '../../wikis/index.ts'

const MEGABYTE = 1024 * 1024
const EMPTY_ARCHIVE = 'The archive is empty.'
const TOO_LARGE = 'A file of the other instance is too large when it is unpacked.'

/** Downloads the packed file of a relation. Throws SourceProblem. */
async function fetchRelation(run: EntityRun, relation: string, folder: string): Promise<string> {
  const file = join(folder, `${relation}.gz`)
  const { bulk_import_max_download_file_size: max } = settingsOf(run.userCtx)
  const path = `${apiPathOf(run.row)}/export_relations/download?relation=${encodeURIComponent(relation)}`
  await run.source.download(path, file, max * MEGABYTE)
  return file
}

/** Downloads the records of a relation into a file. Throws SourceProblem. */
async function fetchRecords(run: EntityRun, relation: string, folder: string, target: string): Promise<void> {
  const packed = await fetchRelation(run, relation, folder)
  const limit = settingsOf(run.userCtx).max_decompressed_archive_size * MEGABYTE
  let size = 0
  const counted = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      size += chunk.length
      if (limit > 0 && size > limit) throw new SourceProblem(TOO_LARGE)
      yield chunk
    }
  }
  try {
    await pipeline(createReadStream(packed), createGunzip(), counted, createWriteStream(target), {
      signal: run.signal,
    })
  } catch (error) {
    await rm(target, { force: true })
    run.signal.throwIfAborted()
    if (error instanceof SourceProblem) throw error
    throw new SourceProblem('A file of the other instance is damaged.')
  } finally {
    await rm(packed, { force: true })
  }
}

/** Downloads the files of a relation into a new folder. Throws SourceProblem and ArchiveProblem. */
async function fetchFiles(run: EntityRun, relation: string, folder: string, target: string): Promise<void> {
  const packed = await fetchRelation(run, relation, folder)
  const { max_decompressed_archive_size, decompress_archive_file_timeout } = settingsOf(run.userCtx)
  const limits = {
    maxBytes: max_decompressed_archive_size * MEGABYTE,
    timeoutMs: decompress_archive_file_timeout * 1000,
  }
  try {
    await unpackArchive(packed, target, limits, { signal: run.signal })
  } catch (error) {
    // An empty archive means that the other instance has no files of that kind.
    if (!(error instanceof ArchiveProblem) || error.message !== EMPTY_ARCHIVE) throw error
    await mkdir(target)
  }
  await rm(packed, { force: true })
}

/** Copies the pages of a wiki, if there are any. */
async function importWiki(run: EntityRun, owner: WikiOwner): Promise<void> {
  if (!(await hasPages(run))) return
  const { source, signal } = run
  const url = `${source.url}/${run.row.source_full_path}.wiki.git`
  const address = await run.userCtx.outbound.addressOfUrl(url)
  const remote = { url, authorization: source.authorization, address }
  await fillWiki(run.now(), owner, async (repo) => {
    await fetchAll(repo, remote, { signal })
    return { head: await remoteHead(repo, remote, { signal }) }
  })
}

/** Whether the wiki has pages. Instances without group wikis do not have this endpoint. */
async function hasPages(run: EntityRun): Promise<boolean> {
  try {
    return (await run.source.list(`${apiPathOf(run.row)}/wikis`)).length > 0
  } catch (error) {
    if (error instanceof SourceProblem && [403, 404].includes(error.status)) return false
    throw error
  }
}

/**
 * Downloads the relations of a project into a folder with the layout of an archive. Records a failure for a relation
 * that cannot be downloaded, and continues without it. The project's own attributes are required.
 */
async function downloadRelations(
  run: EntityRun,
  folder: string,
  relations: ReadonlyMap<string, SourceRelation>,
): Promise<void> {
  await mkdir(join(folder, 'tree', 'project'), { recursive: true })
  await fetchRecords(run, SELF, folder, join(folder, 'tree', 'project.json'))
  for (const { relation, isReady, error } of relations.values()) {
    if (relation === SELF || isFileRelation('project', relation)) continue
    if (error !== null)
      run.fail({ relation, step: 'export', exception_class: 'ExportFailed', exception_message: error })
    if (!isReady) continue
    const target = join(folder, 'tree', 'project', `${relation}.ndjson`)
    await attemptRelation(run, relation, () => fetchRecords(run, relation, folder, target))
  }
  const isReady = (relation: string): boolean => relations.get(relation)?.isReady === true
  await attemptRelation(run, 'repository', () => fetchRepository(run, folder, isReady('repository')))
  if (isReady('uploads')) await attemptRelation(run, 'uploads', () => fetchUploads(run, folder))
  if (isReady('lfs_objects')) await attemptRelation(run, 'lfs_objects', () => fetchLfsObjects(run, folder))
}

/** Downloads the repository as a bundle, or fetches it with git if the other instance exported no bundle. */
async function fetchRepository(run: EntityRun, folder: string, hasBundle: boolean): Promise<void> {
  const target = join(folder, 'project.bundle')
  const files = join(folder, 'repository-files')
  if (hasBundle) {
    await fetchFiles(run, 'repository', folder, files)
    const bundle = join(files, 'repository.bundle')
    if (existsSync(bundle)) await rename(bundle, target)
    return rm(files, { recursive: true, force: true })
  }
  const { source, signal, userCtx, row } = run
  const url = `${source.url}/${row.source_full_path}.git`
  const address = await userCtx.outbound.addressOfUrl(url)
  const repo = repoAt(userCtx.git, folder, 'repository.git')
  await createBareRepository(repo, { defaultBranch: 'main' })
  await fetchAll(repo, { url, authorization: source.authorization, address }, { signal })
  await createBundle(repo, target, { signal })
  await rm(join(folder, 'repository.git'), { recursive: true, force: true })
}

async function fetchUploads(run: EntityRun, folder: string): Promise<void> {
  const files = join(folder, 'uploads')
  await fetchFiles(run, 'uploads', folder, files)
  const avatar = join(files, 'avatar')
  if (existsSync(avatar)) await rename(avatar, join(folder, 'avatar'))
}

async function fetchLfsObjects(run: EntityRun, folder: string): Promise<void> {
  const files = join(folder, 'lfs-objects')
  await fetchFiles(run, 'lfs_objects', folder, files)
  const list = join(files, 'lfs_objects.json')
  if (existsSync(list)) await rename(list, join(folder, 'lfs-objects.json'))
}

/** The files of the folder as entries of an archive. */
async function* entriesOf(folder: string): AsyncGenerator<ArchiveEntry> {
  yield { name: 'VERSION', bytes: LAYOUT_VERSION }
  yield* filesBelow(folder, '')
}

async function* filesBelow(folder: string, prefix: string): AsyncGenerator<ArchiveEntry> {
  for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
    const name = prefix === '' ? entry.name : `${prefix}/${entry.name}`
    if (entry.isDirectory()) yield* filesBelow(folder, name)
    else if (entry.isFile()) yield { name, file: join(folder, name) }
  }
}

/** Downloads a project as an archive, and imports the archive. */
export async function importProject(run: EntityRun): Promise<void> {
  const { userCtx } = run
  const project = projectById(userCtx.db, run.row.project_id ?? 0)
  if (!project) throw new SourceProblem('The project was deleted in the meantime.')
  if (project.import_status !== 'finished') {
    const relations = await relationStatuses(run)
    await fetchArchive(run, project.id, relations)
    await importArchive(run.now(), project.id)
    run.signal.throwIfAborted()
    checkFinished(run, project.id)
    moveFailures(run, { project_id: project.id })
    addProjectStats(run, relations)
  }
  await attemptRelation(run, 'wiki', () => importWiki(run, { project: projectById(userCtx.db, project.id)! }))
}

async function fetchArchive(
  run: EntityRun,
  projectId: number,
  relations: ReadonlyMap<string, SourceRelation>,
): Promise<void> {
  const { userCtx, signal } = run
  const folder = await workFolder(userCtx.config, `bulk-${run.row.id}`)
  try {
    const content = join(folder, 'archive')
    await downloadRelations(run, content, relations)
    const { file } = archiveNames(projectId)
    await writeArchive(archivePath(userCtx.config, file), entriesOf(content), { signal })
    tx(userCtx.db, () => updateRun(userCtx.db, projectId, { file }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function checkFinished({ userCtx }: EntityRun, projectId: number): void {
  const project = projectById(userCtx.db, projectId)
  if (project?.import_status === 'finished') return
  throw new SourceProblem(project?.import_error ?? 'The import of the project did not finish.')
}

/** Computes the statistics of a project. The import has stored the records that failed. */
function addProjectStats(run: EntityRun, relations: ReadonlyMap<string, SourceRelation>): void {
  const failed = countFailuresByRelation(run.userCtx.db, run.row.project_id ?? 0)
  const stats: EntityStats = {}
  for (const { relation, total, isReady } of relations.values()) {
    if (!isReady || total === 0 || isFileRelation('project', relation)) continue
    const imported = Math.max(0, total - (failed.get(relation) ?? 0))
    stats[relation] = { source: total, fetched: total, imported }
  }
  run.addStats(stats)
}

/** Downloads the relations of a group and imports them. Deletes the results of an earlier attempt first. */
export async function importGroup(run: EntityRun): Promise<void> {
  const group = findGroup(run.userCtx, String(run.row.namespace_id))
  if (!group) throw new SourceProblem('The group was deleted in the meantime.')
  tx(run.userCtx.db, () => deleteContent(run.userCtx.db, group.id, run.run.user_id))
  const folder = await workFolder(run.userCtx.config, `bulk-${run.row.id}`)
  try {
    const tree = join(folder, 'tree')
    await mkdir(tree)
    const relations = await relationStatuses(run)
    const fetched = await fetchAllRecords(run, [...relations.values()], { folder, tree })
    await importRecords(run, group, { tree, relations, fetched })
    if (relations.get('uploads')?.isReady)
      await attemptRelation(run, 'uploads', () => importAvatar(run, group, folder))
    await attemptRelation(run, 'wiki', () => importWiki(run, { group }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function fetchAllRecords(
  run: EntityRun,
  relations: readonly SourceRelation[],
  { folder, tree }: { folder: string; tree: string },
): Promise<string[]> {
  const fetched: string[] = []
  for (const { relation, isReady, error } of relations) {
    run.signal.throwIfAborted()
    if (error !== null)
      run.fail({ relation, step: 'export', exception_class: 'ExportFailed', exception_message: error })
    if (!isReady || isFileRelation('group', relation)) continue
    await attemptRelation(run, relation, async () => {
      await fetchRecords(run, relation, folder, join(tree, `${relation}.ndjson`))
      fetched.push(relation)
    })
  }
  return fetched
}

async function importRecords(
  run: EntityRun,
  group: Group,
  {
    tree,
    relations,
    fetched: names,
  }: {
    tree: string
    relations: Map<string, SourceRelation>
    fetched: readonly string[]
  },
): Promise<void> {
  const owner = { kind: 'group' as const, id: group.id }
  const options = { owner, folder: tree, importer: run.run.user_id, relations: names }
  const { counts } = await importTree(run.now(), { ...options, signal: run.signal })
  const stats = Object.entries(counts).map(([relation, { fetched, imported }]) => [
    relation,
    { source: Math.max(relations.get(relation)?.total ?? 0, fetched), fetched, imported },
  ])
  run.addStats(Object.fromEntries(stats) as EntityStats)
  moveFailures(run, { group_id: group.id })
}

async function importAvatar(run: EntityRun, group: Group, folder: string): Promise<void> {
  const target = join(folder, 'uploads')
  await fetchFiles(run, 'uploads', folder, target)
  const [name] = await readdir(join(target, 'avatar')).catch(() => [] as string[])
  const current = findGroup(run.userCtx, String(group.id))
  if (name === undefined || !current) return
  const path = join(target, 'avatar', name)
  const info = await stat(path)
  if (!info.isFile()) return
  const file = { filename: cleanFileName(name), type: '', path, size: info.size, sha256: '' }
  await updateGroup(run.userCtx, current, {}, file)
}
