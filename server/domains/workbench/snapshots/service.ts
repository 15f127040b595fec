import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { dataPaths } from '../../../config.ts'
import type { Ctx } from '../../../ctx.ts'
import { migrations } from '../../../db/migrate.ts'
import { keptDir } from '../../../git/upkeep/repository.ts'
import { isoTime, type MovableClock } from '../../../lib/clock.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { syncFileNow } from '../../../lib/files/durable-file.ts'
import { storagesOf } from '../../storage/index.ts'
import { SnapshotRestored } from '../events.ts'
import { saveFiles } from './files.ts'
import {
  manifestOf,
  manifestsIn,
  SNAPSHOT_NAME,
  pathsOf,
  snapshotsDir,
  type Manifest,
  type SnapshotStorage,
} from './manifest.ts'
import {
  beginRestore,
  endRestore,
  makeSnapshotsDir,
  neededBySnapshots,
  prepareDatabase,
  restoreFilesAndRepositories,
  savedRepositories,
  replaceDatabase,
} from './restore.ts'
import { waitForQuiet } from './quiet.ts'
import { dirOf, readRepositories, type SavedRepository } from './repositories.ts'

/** All snapshots, newest first. */
export function snapshotsOf({ config }: Pick<Ctx, 'config'>): Manifest[] {
  return manifestsIn(config.dataDir)
}

/** Marks the repositories that snapshots need. */
export function markNeeded({ git, config }: Pick<Ctx, 'git' | 'config'>): void {
  git.snapshotDirs.clear()
  for (const gitDir of neededBySnapshots(config.dataDir)) git.snapshotDirs.add(gitDir)
}

/**
 * Saves the instance under a name. Throws 400 for an invalid name, 409 for an existing one or if running work does not
 * end in time.
 */
export async function saveSnapshot(ctx: Ctx, name: string, isReplacing: boolean): Promise<Manifest> {
  if (!SNAPSHOT_NAME.test(name))
    throw fail(
      'bad_request',
      'name must be letters, digits, ".", "_" and "-", and begin with a letter or digit',
    )
  const { dataDir } = ctx.config
  if (!isReplacing && existsSync(pathsOf(dataDir, name).folder))
    throw fail('conflict', `The snapshot ${name} already exists; \`replace\` replaces it.`)
  return exclusively(ctx, async () => {
    const resume = await waitForQuiet(ctx)
    try {
      return takeSnapshot(ctx, name)
    } finally {
      resume()
    }
  })
}

function takeSnapshot(ctx: Ctx, name: string): Manifest {
  const { db, config, clock, git } = ctx
  const { dataDir } = config
  const part = pathsOf(dataDir, `.new-${name}`)
  rmSync(part.folder, { recursive: true, force: true })
  makeSnapshotsDir(dataDir)
  mkdirSync(part.folder, { mode: 0o700 })
  ctx.bookkeeping.flush()
  db.copyTo(part.database)
  const storages = foldersOf(ctx)
  const repositories = readRepositories(storages)
  writeFileSync(part.refs, JSON.stringify(repositories), { mode: 0o600 })
  const files = saveFiles(dataDir, part.files)
  const manifest: Manifest = {
    name,
    created_at: ctx.now,
    version: config.version,
    schema: migrations.at(-1)?.name ?? '',
    key: keyDigest(dataDir),
    database_bytes: statSync(part.database).size,
    repositories: repositories.length,
    files,
    clock: { mode: clock.mode, now: isoTime(clock.now()) },
    storages,
  }
  writeFileSync(part.manifest, JSON.stringify(manifest), { mode: 0o600 })
  if (db.waitsForDisk) for (const file of [part.database, part.refs, part.manifest]) syncFileNow(file)
  discard(ctx, name)
  renameSync(part.folder, pathsOf(dataDir, name).folder)
  for (const repository of repositories) git.snapshotDirs.add(dirOf(repository, storages)!)
  return manifest
}

function foldersOf(ctx: Ctx): SnapshotStorage[] {
  return storagesOf(ctx).map(({ name, folder }) => ({ name, folder }))
}

/** Names the key of the instance; empty until the first secret is sealed and the key exists. */
function keyDigest(dataDir: string): string {
  const { secretKey } = dataPaths(dataDir)
  return existsSync(secretKey) ? createHash('sha256').update(readFileSync(secretKey)).digest('hex') : ''
}

/**
 * Restores the state of the instance from a snapshot, without a restart. Running requests end first, and new requests
 * wait. Throws 404, and 409 if the snapshot cannot be used here or running work does not end in time.
 */
export async function restoreSnapshot(ctx: Ctx, name: string): Promise<Manifest> {
  const manifest = find(ctx, name)
  const { dataDir } = ctx.config
  if (!migrations.some((step) => step.name === manifest.schema))
    throw fail('conflict', `The snapshot was created by a newer release of Deskforge (${manifest.version}).`)
  // Without a key nothing in the snapshot is sealed, so any key fits.
  if (manifest.key !== '' && manifest.key !== keyDigest(dataDir))
    throw fail('conflict', 'The snapshot was created with another key; its secrets cannot be read.')
  if (statSync(pathsOf(dataDir, name).database).size !== manifest.database_bytes)
    throw fail('conflict', 'The snapshot is damaged.')
  return exclusively(ctx, async () => {
    const resume = await waitForQuiet(ctx)
    try {
      await ctx.git.catFiles.closeAll()
      replaceContent(ctx, manifest)
    } finally {
      resume()
    }
    // Windows reload all data.
    ctx.events.announce(SnapshotRestored.name, { snapshot: name })
    return manifest
  })
}

function replaceContent(ctx: Ctx, manifest: Manifest): void {
  const { db, config, git } = ctx
  const { dataDir } = config
  const marker = { name: manifest.name, storages: mergeStorages(manifest.storages, foldersOf(ctx)) }
  const copy = prepareDatabase(dataDir, manifest, db.waitsForDisk)
  ctx.bookkeeping.clear()
  beginRestore(dataDir, marker)
  const removedDirs = restoreFilesAndRepositories(dataDir, marker)
  db.replaceFile((file) => replaceDatabase(file, copy))
  endRestore(dataDir)
  ctx.attempts.clear()
  git.cache.clear()
  git.traffic.forgetMoves()
  setClock(ctx.clock, manifest.clock)
  markNeeded(ctx)
  for (const removedDir of removedDirs)
    rm(removedDir, { recursive: true, force: true }).catch((error: unknown) =>
      ctx.log.warn({ err: error, folder: removedDir }, 'a repository could not be deleted'),
    )
}

function mergeStorages(
  saved: readonly SnapshotStorage[],
  present: readonly SnapshotStorage[],
): SnapshotStorage[] {
  const names = new Set(saved.map(({ name }) => name))
  return [...saved, ...present.filter(({ name }) => !names.has(name))]
}

function setClock(clock: MovableClock, { mode, now }: Manifest['clock']): void {
  clock.reset()
  if (mode === 'real') return
  if (mode === 'frozen') clock.freeze()
  clock.moveTo(Date.parse(now))
}

/** Deletes a snapshot, and the repositories that only this snapshot needs. Throws 404, and 409 during a restore. */
export async function deleteSnapshot(ctx: Ctx, name: string): Promise<void> {
  find(ctx, name)
  await exclusively(ctx, () => {
    discard(ctx, name)
    markNeeded(ctx)
  })
}

function discard(ctx: Ctx, name: string): void {
  const { dataDir } = ctx.config
  const { folder } = pathsOf(dataDir, name)
  const manifest = manifestOf(dataDir, name)
  if (!existsSync(folder)) return
  const repositories = savedRepositories(dataDir, name)
  const old = join(snapshotsDir(dataDir), `.old-${name}-${ctx.random.hex(4)}`)
  renameSync(folder, old)
  const dirsOfOthers = keptByOthers(dataDir)
  const removableDirs = repositories
    .map((repository) => keptDirOf(repository, manifest?.storages ?? []))
    .filter((dir) => dir !== undefined && existsSync(dir) && !dirsOfOthers.has(dir)) as string[]
  for (const dir of [old, ...removableDirs])
    rm(dir, { recursive: true, force: true }).catch((error: unknown) =>
      ctx.log.warn({ err: error, dir }, 'a part of a snapshot could not be deleted'),
    )
}

function keptDirOf(repository: SavedRepository, storages: readonly SnapshotStorage[]): string | undefined {
  const gitDir = dirOf(repository, storages)
  return gitDir === undefined ? undefined : keptDir(gitDir, repository.ino)
}

function keptByOthers(dataDir: string): Set<string | undefined> {
  return new Set(
    manifestsIn(dataDir).flatMap(({ name, storages }) =>
      savedRepositories(dataDir, name).map((repository) => keptDirOf(repository, storages)),
    ),
  )
}

function find({ config }: Pick<Ctx, 'config'>, name: string): Manifest {
  const manifest = SNAPSHOT_NAME.test(name) ? manifestOf(config.dataDir, name) : undefined
  if (!manifest) throw notFound('Snapshot')
  return manifest
}

/** Runs `work`, or throws 409 while another save, restore or deletion runs. */
async function exclusively<T>({ db }: Pick<Ctx, 'db'>, work: () => T | Promise<T>): Promise<T> {
  const state = db.instance('workbench.snapshots', () => ({ isBusy: false }))
  if (state.isBusy) throw fail('conflict', 'A snapshot is being saved or restored; please try again.')
  state.isBusy = true
  try {
    return await work()
  } finally {
    state.isBusy = false
  }
}
