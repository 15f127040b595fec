import { access, constants, stat, statfs } from 'node:fs/promises'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { metrics } from '../queues/service.ts'
import { lastFailures } from '../queues/store.ts'
import { counts } from '../statistics/store.ts'
import type { Health, Overview, Part } from './entity.ts'
import * as store from './store.ts'

const FAILURES = 20
const SHOWN_DAMAGED = 5
/** Free space in bytes below which the overview reports a problem. */
const LITTLE_ROOM = 1024 ** 3

/** The version, health, size and job queues of the instance. */
export async function overview(ctx: Ctx): Promise<Overview> {
  const { version, revision, gitVersion, dataDir } = ctx.config
  const { queues, counts: jobs, process: running } = metrics(ctx)
  const disk = await roomOn(dataDir)
  return {
    version,
    revision,
    git: gitVersion,
    node: process.versions.node,
    sqlite: store.sqliteVersion(ctx.db),
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
  const diskProblem = disk && disk.free < LITTLE_ROOM ? 'Less than 1 GB is free.' : null
  return [
    { name: 'Database', problem: brokenDatabase(ctx) },
    ...writable,
    { name: 'Disk', problem: diskProblem },
    { name: 'Contents of repositories', problem: damaged(ctx) },
  ]
}

/** The projects with a failed repository check. */
function damaged({ db }: Ctx): string | null {
  const paths = store.damagedProjects(db, SHOWN_DAMAGED + 1)
  if (paths.length === 0) return null
  return `Damaged: ${paths.slice(0, SHOWN_DAMAGED).join(', ')}${paths.length > SHOWN_DAMAGED ? ' and others' : ''}.`
}

function brokenDatabase(ctx: Ctx): string | null {
  try {
    store.probe(ctx.db)
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
    // A missing folder is created with its first file.
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? null : message
  }
}

/** Bytes by kind, from the statistics of projects, and the size of the database file. */
async function parts({ db, config }: Ctx): Promise<Part[]> {
  const sizes = db.remember('administration:sizes', () => store.sizes(db))
  const file = await stat(dataPaths(config.dataDir).database).catch(() => null)
  const figures = { database: file?.size ?? 0, ...sizes }
  return Object.entries(figures).map(([name, bytes]) => ({ name, bytes }))
}
