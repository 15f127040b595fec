import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'

import { readRefs, type RefsOfMoment } from './refs.ts'

/** A repository of a storage at one moment. */
export interface FoundRepository {
  /** Below the folder of the storage, with `/`. */
  readonly path: string
  readonly refs: RefsOfMoment
}

/** What a storage's folder holds. */
export interface FoundStorage {
  readonly repositories: readonly FoundRepository[]
  /** Files that belong to no repository. */
  readonly files: readonly string[]
}

/** Repositories that are being made or removed, copies under way, and snapshots. */
const PASSING = /^\.|\.(new|deleted)-[A-Za-z0-9]+$|\.moving$|^before-restore-/

/** Finds all repositories of a storage and reads their refs. For the moment in which nobody moves any. */
export function readStorage(folder: string): FoundStorage {
  const repositories: FoundRepository[] = []
  const files: string[] = []
  const walk = (below: string): void => {
    const entries = entriesOf(join(folder, below))
    if (isRepository(entries)) {
      const refs = readRefs(join(folder, below))
      if (refs) repositories.push({ path: below, refs })
      return
    }
    for (const entry of entries) {
      if (PASSING.test(entry.name)) continue
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile()) files.push(path)
    }
  }
  walk('')
  return { repositories, files }
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

function isRepository(entries: readonly Dirent[]): boolean {
  const has = (name: string, isFolder: boolean): boolean =>
    entries.some((entry) => entry.name === name && entry.isDirectory() === isFolder)
  return has('HEAD', false) && has('objects', true) && has('refs', true)
}
