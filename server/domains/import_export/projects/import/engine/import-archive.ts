import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { dataPaths } from '../../../../../config.ts'
import type { Ctx } from '../../../../../ctx.ts'
import { BundleProblem, fetchBundle } from '../../../../../git/transport/bundle.ts'
import { withWriteLock } from '../../../../../git/upkeep/repository.ts'
import { isStopping } from '../../../../../jobs/runs.ts'
import { renderLabelsOf, closingReferences } from '../../../../planning/index.ts'
import { prepareRepository, repoOf, projectById } from '../../../../projects/index.ts'
import { requestStatistics } from '../../../../repository/index.ts'
import { fillWiki } from '../../../../wikis/index.ts'
import { clearFailures } from '../../../imports/store.ts'
import { ImportFailure, reasonOf } from '../../../imports/status.ts'
import { cancelableImport, storeProgress } from '../../../imports/running.ts'
import { failRun, startRun } from '../../../imports/runs.ts'
import { importTree } from './import-tree.ts'
import { emptyProject, type ArchiveImport } from './steps/empty-project.ts'
import { importAvatar, importLfsObjects, importUploads, importSnippets, unpack } from './steps/files.ts'
import { finishImport } from './steps/finish.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { tx } from '../../../../../db/database.ts'
import { isBranchName } from '../../../../../git/names.ts'
import {
  keepAroundRef,
  listRefs,
  packRefs,
  updateRefs,
  type RefUpdate,
} from '../../../../../git/write/refs.ts'
import { branchTip, resolveCommit } from '../../../../../git/read/revisions.ts'
import type { Repo } from '../../../../../git/types.ts'
import { refreshClosingIssues, setSource } from '../../../../merge_requests/index.ts'
import * as store from '../store.ts'

/** Number of merge requests that are processed together. */
const PAGE_SIZE = 100

/**
 * Creates the refs of the imported merge requests: their heads can be fetched, the commits of their versions are
 * protected from garbage collection, and open ones from forks get a branch (spec administration 6.5).
 */
async function settleMergeRequests(archiveImport: ArchiveImport): Promise<void> {
  const { ctx, project, signal } = archiveImport
  const repo = repoOf(ctx, project)
  const refs = new Map((await listRefs(repo, 'refs/')).map(({ ref, oid }) => [ref, oid]))
  const total = store.countRequests(ctx.db, project.id)
  let done = 0
  let written = 0
  for (let after = 0; ;) {
    signal.throwIfAborted()
    const rows = store.requestsAfter(ctx.db, project.id, { after, limit: PAGE_SIZE })
    if (rows.length === 0) break
    const existing = await existingCommits(repo, rows)
    const updates = refsOf(rows, existing).filter(({ ref, new: oid }) => refs.get(ref) !== oid)
    const branches = rows.filter((row) => row.source_project_id === null && existing.has(row.head))
    await withWriteLock(repo, async () => {
      await updateRefs(repo, updates, { unsynced: true })
      for (const row of branches) await createSourceBranch(archiveImport, repo, row)
    })
    await refreshClosing(archiveImport, rows, existing)
    after = rows.at(-1)!.id
    written += updates.length
    archiveImport.report('merge_request_refs', (done += rows.length), total)
    await nextTurn()
  }
  if (written > 0) await withWriteLock(repo, () => packRefs(repo))
}

async function existingCommits(
  repo: Repo,
  rows: readonly store.ImportedRequest[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(rows.flatMap(({ head, start }) => (start === null ? [head] : [head, start])))]
  const commits = await Promise.all(ids.map((id) => resolveCommit(repo, id)))
  return new Set(commits.filter((id) => id !== null))
}

function refsOf(
  rows: readonly store.ImportedRequest[],
  existing: ReadonlySet<string>,
): (RefUpdate & { new: string })[] {
  const heads = rows
    .filter(({ head }) => existing.has(head))
    .map(({ iid, head }) => ({ ref: `refs/merge-requests/${iid}/head`, new: head }))
  const keptCommits = new Set(
    rows.flatMap(({ head, start }) => [head, start ?? head]).filter((id) => existing.has(id)),
  )
  return [...heads, ...[...keptCommits].map((id) => ({ ref: keepAroundRef(id), new: id }))]
}

/**
 * Creates the branch of an open merge request from a fork, with the original name if it is free or already points to
 * the same commit.
 */
async function createSourceBranch(
  { ctx, project }: ArchiveImport,
  repo: Repo,
  row: store.ImportedRequest,
): Promise<void> {
  const names = [row.source_branch, `${row.source_branch}-${row.iid}`]
  for (const branch of names) {
    if (!isBranchName(branch) || branch === row.target_branch) continue
    const source = { source: branch, target: row.target_branch, except: row.id }
    if (store.hasOpenRequest(ctx.db, project.id, source)) continue
    const tip = await branchTip(repo, branch)
    if (tip !== null && tip !== row.head) continue
    try {
      if (tip === null) await updateRefs(repo, [{ ref: `refs/heads/${branch}`, old: null, new: row.head }])
    } catch (error) {
      // Another branch may conflict with the name.
      ctx.log.info({ err: error, iid: row.iid }, 'a branch of a fork could not be created')
      continue
    }
    tx(ctx.db, () => setSource(ctx.db, row.id, project.id, branch))
    return
  }
}

/** Finds the issues that open merge requests close, which archives do not contain. */
async function refreshClosing(
  { ctx, project, signal }: ArchiveImport,
  rows: readonly store.ImportedRequest[],
  existing: ReadonlySet<string>,
): Promise<void> {
  const current = projectById(ctx.db, project.id)
  if (!current) return
  for (const { id, state, head } of rows) {
    const texts = state === 'opened' && store.textsOfRequest(ctx.db, id)
    if (!texts) continue
    const { title, description } = texts
    // Yields to other requests, because a description can be a megabyte.
    await nextTurn()
    const hasReferences = closingReferences([title, description ?? ''].join('\n'), ctx.config.url).length > 0
    if (!hasReferences && !existing.has(head)) continue
    signal.throwIfAborted()
    await refreshClosingIssues(ctx, current, id)
  }
}

/**
 * Imports a stored archive into its project, step by step (spec administration 6.4). An error becomes the project's
 * `import_error`, and partial content is deleted. After a crash the import starts again. Throws only while the instance
 * is stopping.
 */
export async function importArchive(ctx: Ctx, projectId: number): Promise<void> {
  const started = startRun(ctx, projectId)
  if (!started?.run) return
  const { project, run } = started
  await cancelableImport(ctx, projectId, (signal) => runImport(ctx, { project, run }, signal))
}

async function runImport(
  ctx: Ctx,
  { project, run }: Pick<ArchiveImport, 'project' | 'run'>,
  signal: AbortSignal,
): Promise<void> {
  const projectId = project.id
  const importer = run.user_id ?? project.creator_id ?? 0
  const folder = join(dataPaths(ctx.config.dataDir).tmp, `import-${projectId}`)
  const archiveImport: ArchiveImport = {
    ctx,
    project,
    run,
    folder,
    signal,
    importer,
    report: (step, done = 0, total = 0) => storeProgress(ctx, projectId, { step, done, total }),
  }
  try {
    await prepare(archiveImport)
    await importParts(archiveImport)
  } catch (error) {
    await failImport(archiveImport, error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Deletes everything that an interrupted attempt created, and prepares the repository. */
async function prepare({ ctx, project, folder, importer }: ArchiveImport): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(dataPaths(ctx.config.dataDir).tmp, { recursive: true })
  await emptyProject(ctx, project, importer)
  // The project can be used even if the import fails.
  await prepareRepository(ctx, project)
  clearFailures(ctx.db, { project_id: project.id })
}

async function importParts(archiveImport: ArchiveImport): Promise<void> {
  const { ctx, project, signal } = archiveImport
  await unpack(archiveImport)
  const head = await importRepository(archiveImport)
  await importWiki(archiveImport)
  await importRelations(archiveImport)
  await importAvatar(archiveImport)
  await importUploads(archiveImport)
  await importLfsObjects(archiveImport)
  await importSnippets(archiveImport)
  await settleMergeRequests(archiveImport)
  await renderLabelsOf(ctx, project.id)
  signal.throwIfAborted()
  await finishImport(archiveImport, head)
  requestStatistics(ctx, project.id)
}

async function importRelations(archiveImport: ArchiveImport): Promise<void> {
  const { ctx, project, folder, importer, signal } = archiveImport
  if (!existsSync(join(folder, 'tree', 'project.json')) && !existsSync(join(folder, 'project.json')))
    throw new ImportFailure('The archive is not a project export: it has no project.json.')
  const { counts } = await importTree(ctx, {
    owner: { kind: 'project', id: project.id },
    folder: join(folder, 'tree', 'project'),
    importer,
    signal,
    onProgress: archiveImport.report,
  })
  if (counts['project']?.imported === 0)
    throw new ImportFailure('The archive is damaged: the description of the project cannot be read.')
}

async function failImport({ ctx, project, importer, signal }: ArchiveImport, error: unknown): Promise<void> {
  // The job runs again after the next start of the instance.
  if (isStopping(signal)) throw error
  await emptyProject(ctx, project, importer)
  if (signal.aborted) return
  ctx.log.warn({ err: error, project_id: project.id }, 'an archive could not be imported')
  failRun(
    ctx,
    project.id,
    isWrongFileType(error)
      ? 'The archive is damaged: it has a folder where a file is expected, or a file in place of a folder.'
      : reasonOf(error, 'The archive could not be imported because of an error on this instance.'),
  )
}

function isWrongFileType(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code === 'EISDIR' || code === 'ENOTDIR'
}

/**
 * Imports the repository. Returns the default branch of the bundle, or null. Throws ImportFailure for an invalid
 * bundle.
 */
async function importRepository(archiveImport: ArchiveImport): Promise<string | null> {
  const { ctx, project, folder, signal } = archiveImport
  await prepareRepository(ctx, project)
  const bundle = join(folder, 'project.bundle')
  if (!existsSync(bundle)) return null
  archiveImport.report('repository')
  const repo = repoOf(ctx, project)
  const { head } = await asImportFailure('The repository', () =>
    withWriteLock(repo, () => fetchBundle(repo, bundle, { signal })),
  )
  return head
}

/** Imports the wiki, if the archive has one. */
async function importWiki(archiveImport: ArchiveImport): Promise<void> {
  const { ctx, project, folder, signal } = archiveImport
  const bundle = join(folder, 'project.wiki.bundle')
  if (!existsSync(bundle)) return
  archiveImport.report('wiki')
  await asImportFailure('The wiki', () =>
    fillWiki(ctx, { project }, (repo) => fetchBundle(repo, bundle, { signal })),
  )
}

/** Runs `work` and converts a BundleProblem to an ImportFailure about `subject`. */
async function asImportFailure<T>(subject: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof BundleProblem)
      throw new ImportFailure(`${subject} could not be imported. ${error.message}`)
    throw error
  }
}
