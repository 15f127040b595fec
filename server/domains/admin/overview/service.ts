import { access, constants, stat, statfs } from 'node:fs/promises'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { metrics } from '../queues/service.ts'
import { lastFailures } from '../queues/store.ts'
import { counts } from './store.ts'
import type { Health, Overview, DataSize } from './entity.ts'
import * as store from './store.ts'

const MAX_FAILURES = 20
const MAX_DAMAGED = 5
/** Free space in bytes below which the overview reports a problem. */
const LOW_SPACE_BYTES = 1024 ** 3

/** Returns the version, health, size and job queues of the instance. */
export async function overview(ctx: Ctx): Promise<Overview> {
  const { version, revision, gitVersion, dataDir } = ctx.config
  const { queues, counts: jobs, process: processInfo } = metrics(ctx)
  const disk = await diskSpaceOf(dataDir)
  return {
    version,
    revision,
    git: gitVersion,
    node: process.versions.node,
    sqlite: store.sqliteVersion(ctx.db),
    started_at: processInfo.started_at,
    counts: counts(ctx.db),
    health: await health(ctx, disk),
    parts: await dataSizes(ctx),
    disk,
    queues: [...queues],
    jobs,
    failures: lastFailures(ctx.db, MAX_FAILURES),
  }
}

async function diskSpaceOf(folder: string): Promise<{ free: number; total: number } | null> {
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
    Object.entries(folders).map(async ([name, folder]) => ({ name, problem: await folderProblem(folder) })),
  )
  const diskProblem = disk && disk.free < LOW_SPACE_BYTES ? 'Less than 1 GB is free.' : null
  return [
    { name: 'Database', problem: databaseProblem(ctx) },
    ...writable,
    { name: 'Disk', problem: diskProblem },
    { name: 'Contents of repositories', problem: damagedProblem(ctx) },
  ]
}

/** Returns a sentence with the projects that have a failed repository check; null without one. */
function damagedProblem({ db }: Ctx): string | null {
  const paths = store.damagedProjects(db, MAX_DAMAGED + 1)
  if (paths.length === 0) return null
  return `Damaged: ${paths.slice(0, MAX_DAMAGED).join(', ')}${paths.length > MAX_DAMAGED ? ' and others' : ''}.`
}

function databaseProblem(ctx: Ctx): string | null {
  try {
    store.probe(ctx.db)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

async function folderProblem(folder: string): Promise<string | null> {
  try {
    await access(folder, constants.W_OK)
    return null
  } catch (error) {
    // A missing folder is no problem: it is created with its first file.
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? null : message
  }
}

/** Returns the sizes of data by kind, from the statistics of projects, and the size of the database file. */
async function dataSizes({ db, config }: Ctx): Promise<DataSize[]> {
  const sizes = db.remember('administration:sizes', () => store.sizes(db))
  const file = await stat(dataPaths(config.dataDir).database).catch(() => null)
  const bytesByKind = { database: file?.size ?? 0, ...sizes }
  return Object.entries(bytesByKind).map(([name, bytes]) => ({ name, bytes }))
}
