import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ClockMode } from '../../../lib/clock.ts'

/** The description of a snapshot. */
export interface Manifest {
  readonly name: string
  readonly created_at: string
  /** Version of the instance that created it. */
  readonly version: string
  /** The last migration of its schema. */
  readonly schema: string
  /** Digest of the key that its secrets are sealed with. */
  readonly key: string
  readonly database_bytes: number
  readonly repositories: number
  readonly files: number
  readonly clock: { readonly mode: ClockMode; readonly now: string }
  readonly storages: readonly SnapshotStorage[]
}

/** A folder of repositories. */
export interface SnapshotStorage {
  readonly name: string
  readonly folder: string
}

/** A restore that has begun; the next start finishes it after a crash. */
export interface RestoreMarker {
  readonly name: string
  /** The storages of the instance when it began; their repositories are replaced. */
  readonly storages: readonly SnapshotStorage[]
}

export const SNAPSHOT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/
/** The names of unfinished snapshots, and of snapshots that are being removed. */
export const UNFINISHED = /^\./

/** The paths of a snapshot, or of one that is being created. */
export function pathsOf(dataDir: string, name: string) {
  const folder = join(snapshotsDir(dataDir), name)
  return {
    folder,
    manifest: join(folder, 'manifest.json'),
    database: join(folder, 'database.db'),
    refs: join(folder, 'refs.json'),
    files: join(folder, 'files'),
  }
}

export function snapshotsDir(dataDir: string): string {
  return join(dataDir, 'snapshots')
}

export function markerFile(dataDir: string): string {
  return join(snapshotsDir(dataDir), '.restoring.json')
}

/** The manifest of a snapshot; undefined if it does not exist or cannot be read. */
export function manifestOf(dataDir: string, name: string): Manifest | undefined {
  return readJson<Manifest>(pathsOf(dataDir, name).manifest)
}

/** All snapshots, newest first. */
export function manifestsIn(dataDir: string): Manifest[] {
  const folder = snapshotsDir(dataDir)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !UNFINISHED.test(name)) : []
  return names
    .flatMap((name) => manifestOf(dataDir, name) ?? [])
    .sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0))
}

export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch {
    return undefined
  }
}
