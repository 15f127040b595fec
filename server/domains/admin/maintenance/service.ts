import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { repoAt } from '../../../git/process/engine.ts'
import { enqueue } from '../../../jobs/job.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { entriesBelow } from '../../../lib/files/folders.ts'
import { projectById, repoOf, updateProjectRow, type Project } from '../../projects/index.ts'
import { housekeeping } from './jobs.ts'

/**
 * The files of a repository in a snapshot. Configuration and hooks are not included, because they depend on this
 * machine.
 */
const SNAPSHOT_FILES = /^(?:HEAD|packed-refs|shallow|(?:objects|refs|branches)(?:\/|$))/

/** Returns the repository in a folder as a tar archive. Files that git deletes in the meantime are not included. */
function tarOf(folder: string): Readable {
  const archive = pack()
  void addFiles(archive, folder).catch((error: Error) => archive.destroy(error))
  // tar-stream has its own stream classes.
  return Readable.from(archive)
}

async function addFiles(archive: Pack, folder: string): Promise<void> {
  for (const name of await filesBelow(folder)) await addFile(archive, folder, name)
  archive.finalize()
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = (await entriesBelow(folder)) ?? []
  return entries
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((name) => SNAPSHOT_FILES.test(name))
    .sort()
}

async function addFile(archive: Pack, folder: string, name: string): Promise<void> {
  // The file is opened first: git may delete it at any time, but an open file stays readable.
  const file = await open(join(folder, name)).catch(() => undefined)
  if (!file) return
  try {
    const info = await file.stat()
    const header = { name, size: info.size, mtime: info.mtime, mode: 0o644 }
    if (info.size === 0) return void archive.entry(header, '')
    // A file that grows while it is read is cut at the announced size.
    const content = file.createReadStream({ end: info.size - 1, autoClose: false })
    await pipeline(content, archive.entry(header) as unknown as NodeJS.WritableStream)
  } finally {
    await file.close()
  }
}

/** The number of minutes after a housekeeping in which another one is refused. */
const MIN_INTERVAL_MINUTES = 60

/** Starts the housekeeping of a repository. Throws 409 if housekeeping ran within the last hour. */
export function triggerHousekeeping(ctx: Ctx, project: Project): void {
  tx(ctx.db, () => {
    const last = projectById(ctx.db, project.id)?.housekeeping_at
    if (last && Date.parse(ctx.now) - Date.parse(last) < MIN_INTERVAL_MINUTES * 60_000) {
      const sentence = `Somebody already triggered housekeeping for this resource in the past ${MIN_INTERVAL_MINUTES} minutes`
      throw fail('conflict', sentence)
    }
    updateProjectRow(ctx.db, project.id, { housekeeping_at: ctx.now })
    // Packing after pushes has the same key, so that the two never run at the same time.
    const key = `repository.housekeeping:${project.id}`
    enqueue(ctx, housekeeping, { project_id: project.id }, { key })
  })
}

/** Returns a snapshot of the repository, or of its wiki, as a tar archive. Throws 404 if it does not exist. */
export async function snapshotOf(ctx: Ctx, project: Project, wiki: boolean) {
  const projectRepo = repoOf(ctx, project)
  const repo = wiki ? repoAt(ctx.git, projectRepo.gitDir.replace(/\.git$/, '.wiki.git')) : projectRepo
  if (!(await stat(repo.gitDir).catch(() => undefined))) throw notFound()
  const headers = { 'Content-Disposition': 'attachment; filename="snapshot.tar"' }
  // A storage move keeps the folder until this is read.
  const release = ctx.git.traffic.read([repo.gitDir])
  return { type: 'application/x-tar', body: tarOf(repo.gitDir).once('close', release), headers }
}
