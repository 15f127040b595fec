import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'

import { dataPaths } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { withReadableFile } from '../../../../db/other-connections.ts'
import { createBundle } from '../../../../git/transport/bundle.ts'
import type { Repo } from '../../../../git/types.ts'
import { repositoryExists } from '../../../../git/upkeep/repository.ts'
import { enqueue, job } from '../../../../jobs/job.ts'
import { cancelable, RunInterrupted } from '../../../../jobs/runs.ts'
import { isoTime } from '../../../../lib/clock.ts'
import { moveDurably } from '../../../../lib/files/durable-file.ts'
import { MAINTAINER } from '../../../../policy/levels.ts'
import { runInThread, workerFile } from '../../../../threads/thread.ts'
import { roleOnNamespace } from '../../../members/index.ts'
import { namespaceById } from '../../../namespaces/index.ts'
import { fullPath, projectById, repoOf, type Project } from '../../../projects/index.ts'
import { repoOfSnippet } from '../../../snippets/index.ts'
import { avatarFile } from '../../../storage/index.ts'
import { userById } from '../../../users/index.ts'
import { wikiRepository } from '../../../wikis/index.ts'
import { ArchiveProblem } from '../../archive/unpack.ts'
import {
  archiveName,
  exportFile,
  ARCHIVE_LIFETIME_MS,
  removeFiles,
  workFolder,
  throttled,
  withCurrentTime,
} from '../../exports/files.ts'
import * as store from '../../exports/store.ts'
import { type ProjectExport, snippetsOf } from '../../exports/store.ts'
import { bundleNameOf } from '../../relations/snippets.ts'
import { mailArchive, mailFailure } from './mails.ts'
import { isActive, publishChange } from './status.ts'
import type { ArchiveTask, ExportProgress, ExportWork } from './thread/messages.ts'
import { uploadExport } from './upload.ts'

const FAILED = 'The project could not be exported.'

/** Writes the archive of a project. An interrupted export starts again. */
export const exportProject = job(
  'transfer.export_project',
  { args: { export_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { export_id }) => runExport(ctx, export_id),
)

/**
 * Writes the archive of an export and stores the result. Rejects only if the export is canceled or the instance stops.
 * An interrupted export starts again; a canceled one does not.
 */
export async function runExport(ctx: Ctx, exportId: number): Promise<void> {
  const row = store.projectExportById(ctx.db, exportId)
  const project = row && projectById(ctx.db, row.project_id)
  if (!row || !project || !isActive(row)) return
  const now = withCurrentTime(ctx)
  updateExport(ctx, row.id, { state: 'started', step: 'tree', done: 0, total: 0, error: null })
  try {
    const run = { name: `project_export:${row.id}`, project_id: project.id }
    await cancelable(ctx, run, (signal) => writeProjectArchive(now, row, project, signal))
  } catch (error) {
    if (error instanceof RunInterrupted) throw error
    ctx.log.warn({ err: error, project_id: project.id }, 'a project could not be exported')
    const sentence = error instanceof ArchiveProblem ? error.message : FAILED
    tx(ctx.db, () => {
      const changes = { state: 'failed', error: sentence, step: null, upload_url: null } as const
      if (updateExport(now(), row.id, { ...changes, finished_at: now().now }))
        mailFailure(now(), row, project, sentence)
    })
  }
}

/**
 * Updates an export and publishes the change. Returns undefined if the export has ended, for example by cancellation.
 */
function updateExport(ctx: Ctx, id: number, changes: Partial<ProjectExport>): ProjectExport | undefined {
  return tx(ctx.db, () => {
    if (!isActive(store.projectExportById(ctx.db, id))) return undefined
    const row = store.update(ctx.db, id, changes, ctx.now)
    if (row) publishChange(ctx, row)
    return row
  })
}

async function writeProjectArchive(
  now: () => Ctx,
  row: ProjectExport,
  project: Project,
  signal: AbortSignal,
): Promise<void> {
  const ctx = now()
  const tempFolder = await workFolder(ctx.config, `project-export-${row.id}`)
  const endReading = ctx.git.traffic.read([repoOf(ctx, project).gitDir])
  try {
    const task = await taskOf(ctx, row, project, tempFolder)
    await mkdir(task.folder, { mode: 0o700 })
    const bundlesAbort = new AbortController()
    const bundleSignal = AbortSignal.any([signal, bundlesAbort.signal])
    let bundles: Promise<void> | undefined
    try {
      const { size, records } = await withReadableFile(ctx.db, tempFolder, (database) =>
        runThread(
          { ...task, database },
          {
            signal,
            onProgress: throttled((progress) => void updateExport(now(), row.id, progress)),
            onPinned: () => (bundles = writeBundles(ctx, project, task.folder, bundleSignal)),
          },
        ),
      )
      await storeArchive(now(), row, project, { target: task.target, size })
      ctx.log.info({ project_id: project.id, size, records }, 'a project was exported')
    } finally {
      // Git must have stopped writing before the folder is deleted.
      bundlesAbort.abort(new RunInterrupted('canceled'))
      await bundles?.catch(() => undefined)
    }
  } finally {
    endReading()
    await rm(tempFolder, { recursive: true, force: true })
  }
}

async function taskOf(
  ctx: Ctx,
  row: ProjectExport,
  project: Project,
  tempFolder: string,
): Promise<Omit<ArchiveTask, 'database'>> {
  const { dataDir, url, version, revision } = ctx.config
  const paths = dataPaths(dataDir)
  const repo = repoOf(ctx, project)
  const avatarPath =
    project.avatar === null ? undefined : avatarFile(ctx.config, 'project', project.id, project.avatar)
  return {
    url,
    includesGroupMembers: mayExportGroupMembers(ctx, row, project),
    code: (await repositoryExists(repo))
      ? { binary: ctx.git.binary, home: ctx.git.home, gitDir: repo.gitDir }
      : null,
    projectId: project.id,
    folder: join(tempFolder, 'archive'),
    target: join(tempFolder, 'archive.tar.gz'),
    description: row.description,
    avatar:
      avatarPath !== undefined && existsSync(avatarPath) ? { name: project.avatar!, file: avatarPath } : null,
    uploads: join(paths.uploads, 'project', String(project.id)),
    lfs: paths.lfs,
    version,
    revision,
    now: ctx.now,
  }
}

/**
 * Whether the archive includes members of the group, because the exporter maintains the group (spec administration
 * 6.5).
 */
function mayExportGroupMembers(ctx: Ctx, { user_id }: ProjectExport, project: Project): boolean {
  const user = user_id === null ? undefined : userById(ctx.db, user_id)
  const group = project.namespace_kind === 'group' ? namespaceById(ctx.db, project.namespace_id) : undefined
  if (!user || !group) return false
  const actor = { ...ctx.actor, kind: 'user', id: user.id } as Ctx['actor']
  return user.is_admin || roleOnNamespace({ ...ctx, actor }, group) >= MAINTAINER
}

/** Stores a finished archive and deletes earlier exports. */
async function storeArchive(
  ctx: Ctx,
  row: ProjectExport,
  project: Project,
  { target, size }: { target: string; size: number },
): Promise<void> {
  const file = `${project.id}-${row.id}-${ctx.random.hex(8)}.tar.gz`
  await moveDurably(target, exportFile(ctx.config, 'projects', file))
  const isUploaded = row.upload_url !== null
  const older = tx(ctx.db, () => {
    const stored = updateExport(ctx, row.id, {
      state: 'finished',
      after_state: isUploaded ? 'running' : 'finished',
      file,
      size,
      file_name: archiveName(fullPath(project), ctx.now),
      expires_at: isoTime(Date.parse(ctx.now) + ARCHIVE_LIFETIME_MS),
      step: isUploaded ? 'uploading' : null,
      finished_at: ctx.now,
    })
    if (!stored) return [file]
    // Enqueued with the time of the export, so that the job is due at once even if the clock was set back.
    if (isUploaded)
      enqueue(
        { ...ctx, now: row.created_at },
        uploadExport,
        { export_id: row.id },
        { key: `export_upload:${row.id}` },
      )
    else mailArchive(ctx, stored, project)
    return store.deleteOlder(ctx.db, { kind: 'project', id: project.id }, stored.id)
  })
  await removeFiles(ctx.config, 'projects', older)
}

/**
 * Writes the repositories of a project into a folder with the layout of the archive (spec administration 6.2):
 * repository, wiki and snippets. Empty repositories have no bundle.
 */
async function writeBundles(ctx: Ctx, project: Project, folder: string, signal: AbortSignal): Promise<void> {
  const write = async (repo: Repo, name: string): Promise<void> => {
    signal.throwIfAborted()
    if (await repositoryExists(repo)) await createBundle(repo, join(folder, name), { signal })
  }
  await write(repoOf(ctx, project), 'project.bundle')
  const wiki = wikiRepository(ctx, { project })
  if (wiki) await write(wiki.repo, 'project.wiki.bundle')
  await mkdir(join(folder, 'snippets'), { mode: 0o700 })
  for (const snippet of snippetsOf(ctx.db, project.id)) {
    const { title, description, created_at, updated_at } = snippet
    const name = bundleNameOf({ title, description, created_at, updated_at })
    await write(repoOfSnippet(ctx, snippet), `snippets/${name}.bundle`)
  }
}

/** Callbacks for messages of the thread. */
interface ThreadCallbacks {
  readonly signal?: AbortSignal | undefined
  onProgress?(progress: ExportProgress): void
  /**
   * Called when the database snapshot is open. The thread packs the files after
   * the promise resolves, and fails if it rejects.
   */
  onPinned?(): Promise<void>
}

/**
 * Runs a thread that writes an archive. Rejects with ArchiveProblem, which has a message for users, or with the reason
 * of an aborted signal. The caller removes partial files.
 */
function runThread(
  task: ArchiveTask,
  { signal, onProgress, onPinned }: ThreadCallbacks = {},
): Promise<ExportWork['result']> {
  return runInThread<ExportWork>(workerFile(import.meta.url, './thread/export'), task, {
    signal,
    onReport: onProgress,
    onQuestion: onPinned,
    problem: ArchiveProblem,
    // Limits the damage of a defect that uses too much memory.
    memoryMb: 512,
  })
}
