import { access, constants, stat, statfs } from 'node:fs/promises'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { metrics } from '../queues/service.ts'
import { lastFailures } from '../queues/store.ts'
import { counts } from '../statistics/store.ts'
import type { Health, Overview, Part } from './entity.ts'

const FAILURES = 20
/** Below this an instance soon cannot write any more. */
const LITTLE_ROOM = 1024 ** 3

/** The instance at one look: what it is, whether it is well, what it holds, and what it has to do. */
export async function overview(ctx: Ctx): Promise<Overview> {
  const { version, revision, gitVersion, dataDir } = ctx.config
  const { queues, counts: jobs, process: running } = metrics(ctx)
  const disk = await roomOn(dataDir)
  return {
    version,
    revision,
    git: gitVersion,
    node: process.versions.node,
    sqlite: ctx.db.one<{ version: string }>('SELECT sqlite_version() AS version')!.version,
    started_at: running.started_at,
    counts: counts(ctx.db),
    health: await health(ctx, disk),
    parts: await parts(ctx),
    disk,
    queues: [...queues],
    jobs,
    failures: lastFailures(ctx.db, FAILURES),
  }
}

async function roomOn(folder: string): Promise<{ free: number; total: number } | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { free: bavail * bsize, total: blocks * bsize }
  } catch {
    return null
  }
}

async function health(ctx: Ctx, disk: { free: number } | null): Promise<Health[]> {
  const paths = dataPaths(ctx.config.dataDir)
  const folders = { Repositories: paths.repositories, Uploads: paths.uploads, ...ctx.config.storages }
  const writable = await Promise.all(
    Object.entries(folders).map(async ([name, folder]) => ({ name, problem: await unwritable(folder) })),
  )
  const room = disk && disk.free < LITTLE_ROOM ? 'Less than 1 GB is free.' : null
  return [
    { name: 'Database', problem: brokenDatabase(ctx) },
    ...writable,
    { name: 'Disk', problem: room },
    { name: 'Contents of repositories', problem: damaged(ctx) },
  ]
}

/** Repositories in which the last check found something wrong. */
function damaged({ db }: Ctx): string | null {
  const sql = `SELECT p.id, n.full_path || '/' || p.path AS path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
    WHERE p.last_repository_check_failed = 1 ORDER BY p.id LIMIT 6`
  const paths = db.many<{ path: string }>(sql).map(({ path }) => path)
  if (paths.length === 0) return null
  return `Damaged: ${paths.slice(0, 5).join(', ')}${paths.length > 5 ? ' and others' : ''}.`
}

function brokenDatabase(ctx: Ctx): string | null {
  try {
    ctx.db.one('SELECT 1 FROM application_settings WHERE id = 1')
    return null
  } catch (error) {
    return (error as Error).message
  }
}

async function unwritable(folder: string): Promise<string | null> {
  try {
    await access(folder, constants.W_OK)
    return null
  } catch (error) {
    // A folder that nothing was put in yet is made when something is.
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? null : message
  }
}

interface Sizes {
  repositories: number
  wikis: number
  artifacts: number
  uploads: number
  snippets: number
}

/** Bytes by kind, as the projects last counted them, and the file of the database. */
async function parts({ db, config }: Ctx): Promise<Part[]> {
  const sizes = db.remember('administration:sizes', () =>
    db.one<Sizes>(
      `SELECT coalesce(sum(repository_size), 0) AS repositories, coalesce(sum(wiki_size), 0) AS wikis,
         coalesce(sum(job_artifacts_size + pipeline_artifacts_size), 0) AS artifacts,
         coalesce(sum(uploads_size), 0) AS uploads, coalesce(sum(snippets_size), 0) AS snippets FROM projects`,
    ),
  )!
  const file = await stat(dataPaths(config.dataDir).database).catch(() => null)
  const named = { database: file?.size ?? 0, ...sizes }
  return Object.entries(named).map(([name, bytes]) => ({ name, bytes }))
}
