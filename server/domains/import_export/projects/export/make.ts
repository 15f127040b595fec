import { existsSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths } from '../../../../config.ts'
import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { repositoryExists } from '../../../../git/upkeep/repository.ts'
import { enqueue } from '../../../../jobs/job.ts'
import { isoTime } from '../../../../lib/clock.ts'
import { keepFile } from '../../../../lib/files/durable-file.ts'
import { MAINTAINER } from '../../../../policy/levels.ts'
import { roleOnNamespace } from '../../../members/index.ts'
import { namespaceById } from '../../../namespaces/index.ts'
import { fullPath, projectById, repoOf, type Project } from '../../../projects/index.ts'
import { avatarFile } from '../../../storage/index.ts'
import { userById } from '../../../users/index.ts'
import { ArchiveProblem } from '../../archive/problem.ts'
import { writeBundles } from './bundles.ts'
import { exportFile, removeFile, workFolder } from './files.ts'
import { tellOfArchive, tellOfFailure } from './mails.ts'
import { ExportInterrupted, abortable, timed } from './running.ts'
import { isUnderWay } from './status.ts'
import * as store from './store.ts'
import type { ProjectExport } from './store.ts'
import { tell } from './tell.ts'
import type { ArchiveOrder, ExportProgress } from './thread/messages.ts'
import { runThread } from './thread/run-thread.ts'
import { uploadExport } from './upload-job.ts'

const MAX_NAME = 51

/** The name that a download has (spec administration 6.1): when it was made, and what it is of. */
function archiveName(fullPath: string, now: string): string {
  const moment = now.replace('T', '_').replaceAll(':', '-').replace('.', '-').replace('Z', '')
  const path = fullPath.replaceAll('/', '_').replaceAll(/[^\w.-]/g, '_')
  return `${`${moment}_${path}`.slice(0, MAX_NAME)}_export.tar.gz`
}

/** How long an archive can be downloaded (spec administration 6.1). */
const LIFE_MS = 24 * 3_600_000
/** Progress is stored at most so often. */
const TELL_MS = 1000
const FAILED = 'The project could not be exported.'

/**
 * Writes the archive that was asked for, and notes how that went. Rejects only when the instance stops; one that was cut off is begun
 * anew, and one that was taken back is left alone.
 */
export async function makeExport(ctx: Ctx, exportId: number): Promise<void> {
  const row = store.byId(ctx.db, exportId)
  const project = row && projectById(ctx.db, row.project_id)
  if (!row || !project || !isUnderWay(row)) return
  const now = timed(ctx)
  change(ctx, row.id, { state: 'started', step: 'tree', done: 0, total: 0, error: null })
  try {
    await abortable(ctx, row.id, (signal) => write(now, row, project, signal))
  } catch (error) {
    if (error instanceof ExportInterrupted) {
      if (error.reason === 'stopping') throw error
      return
    }
    ctx.log.warn({ err: error, project_id: project.id }, 'a project could not be exported')
    const sentence = error instanceof ArchiveProblem ? error.message : FAILED
    tx(ctx.db, () => {
      const changes = { state: 'failed', error: sentence, step: null, upload_url: null } as const
      if (change(now(), row.id, { ...changes, finished_at: now().now }))
        tellOfFailure(now(), row, project, sentence)
    })
  }
}

/** Changes a row and tells so; those that were taken back meanwhile stay as they are. */
function change(ctx: Ctx, id: number, changes: Partial<ProjectExport>): ProjectExport | undefined {
  return tx(ctx.db, () => {
    if (!isUnderWay(store.byId(ctx.db, id))) return undefined
    const row = store.update(ctx.db, id, changes, ctx.now)
    if (row) tell(ctx, row)
    return row
  })
}

async function write(
  now: () => Ctx,
  row: ProjectExport,
  project: Project,
  signal: AbortSignal,
): Promise<void> {
  const ctx = now()
  const work = await workFolder(ctx.config, row.id)
  const leave = ctx.git.traffic.read([repoOf(ctx, project).gitDir])
  try {
    const order = await orderOf(ctx, row, project, work)
    await mkdir(order.folder, { mode: 0o700 })
    const ending = new AbortController()
    const both = AbortSignal.any([signal, ending.signal])
    let bundling: Promise<void> | undefined
    try {
      const { size, records } = await runThread(order, {
        signal,
        onProgress: throttled((progress) => void change(now(), row.id, { ...progress })),
        onPinned: () => (bundling = writeBundles(ctx, project, order.folder, both)),
      })
      await keep(now(), row, project, { target: order.target, size })
      ctx.log.info({ project_id: project.id, size, records }, 'a project was exported')
    } finally {
      // Git must not write any more when the folder goes.
      ending.abort(new ExportInterrupted('canceled'))
      await bundling?.catch(() => undefined)
    }
  } finally {
    leave()
    await rm(work, { recursive: true, force: true })
  }
}

async function orderOf(ctx: Ctx, row: ProjectExport, project: Project, work: string): Promise<ArchiveOrder> {
  const { dataDir, url, version, revision } = ctx.config
  const paths = dataPaths(dataDir)
  const repo = repoOf(ctx, project)
  const picture =
    project.avatar === null ? undefined : avatarFile(ctx.config, 'project', project.id, project.avatar)
  return {
    database: paths.database,
    url,
    includesGroupMembers: seesGroupMembers(ctx, row, project),
    code: (await repositoryExists(repo))
      ? { binary: ctx.git.binary, home: ctx.git.home, gitDir: repo.gitDir }
      : null,
    projectId: project.id,
    folder: join(work, 'archive'),
    target: join(work, 'archive.tar.gz'),
    description: row.description,
    avatar: picture !== undefined && existsSync(picture) ? { name: project.avatar!, file: picture } : null,
    uploads: join(paths.uploads, 'project', String(project.id)),
    lfs: paths.lfs,
    version,
    revision,
    now: ctx.now,
  }
}

/** Members of groups above are exported by those who maintain the group (spec administration 6.5). */
function seesGroupMembers(ctx: Ctx, { user_id }: ProjectExport, project: Project): boolean {
  const user = user_id === null ? undefined : userById(ctx.db, user_id)
  const group = project.namespace_kind === 'group' ? namespaceById(ctx.db, project.namespace_id) : undefined
  if (!user || !group) return false
  const actor = { ...ctx.actor, kind: 'user', id: user.id } as Ctx['actor']
  return user.is_admin || roleOnNamespace({ ...ctx, actor }, group) >= MAINTAINER
}

/** Puts a finished archive at its place; the one before it goes. */
async function keep(
  ctx: Ctx,
  row: ProjectExport,
  project: Project,
  { target, size }: { target: string; size: number },
): Promise<void> {
  const file = `${project.id}-${row.id}-${ctx.random.hex(8)}.tar.gz`
  await keepFile(target, exportFile(ctx.config, file))
  const isSent = row.upload_url !== null
  const older = tx(ctx.db, () => {
    const kept = change(ctx, row.id, {
      state: 'finished',
      after_state: isSent ? 'running' : 'finished',
      file,
      size,
      file_name: archiveName(fullPath(project), ctx.now),
      expires_at: isoTime(Date.parse(ctx.now) + LIFE_MS),
      step: isSent ? 'uploading' : null,
      finished_at: ctx.now,
    })
    if (!kept) return [file]
    // Due at once, whatever the clock says meanwhile.
    if (isSent)
      enqueue(
        { ...ctx, now: row.created_at },
        uploadExport,
        { export_id: row.id },
        { key: `export_upload:${row.id}` },
      )
    else tellOfArchive(ctx, kept, project)
    return store.dropOlder(ctx.db, kept)
  })
  for (const name of older) await removeFile(ctx.config, name)
}

function throttled(told: (progress: ExportProgress) => void): (progress: ExportProgress) => void {
  let at = -Infinity
  let before = ''
  return ({ step, done, total }) => {
    const now = performance.now()
    if (step === before && now - at < TELL_MS) return
    at = now
    before = step
    told({ step, done, total })
  }
}
