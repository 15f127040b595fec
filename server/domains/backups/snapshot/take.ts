import { mkdirSync, readdirSync, rmSync, type Dirent } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DATA, STORAGES, isEntryName, isIncluded } from '../archive/format.ts'
import { Links } from './links.ts'
import { entriesOf, linkObjects, readRefs, type RefSnapshot } from './repositories.ts'

/** A repository of a storage at one moment. */
export interface RepositorySnapshot {
  /** Path in the folder of the storage, with `/`. */
  readonly path: string
  readonly refs: RefSnapshot
}

/** The content of a storage. */
export interface StorageSnapshot {
  readonly repositories: readonly RepositorySnapshot[]
  /** Files that belong to no repository. */
  readonly files: readonly string[]
}

/** Names of repositories that are being created or removed, of unfinished copies, and of snapshots. */
const TEMPORARY_NAME = /^\.|\.(new|deleted)-[A-Za-z0-9]+$|\.moving$|^before-restore-/

/** Finds all repositories of a storage and reads their refs. The caller prevents moves of refs. */
export function readStorage(folder: string): StorageSnapshot {
  const repositories: RepositorySnapshot[] = []
  const files: string[] = []
  const walk = (below: string): void => {
    const entries = entriesOf(join(folder, below))
    if (isRepository(entries)) {
      const refs = readRefs(join(folder, below))
      if (refs) repositories.push({ path: below, refs })
      return
    }
    for (const entry of entries) {
      if (TEMPORARY_NAME.test(entry.name)) continue
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile()) files.push(path)
    }
  }
  walk('')
  return { repositories, files }
}

function isRepository(entries: readonly Dirent[]): boolean {
  const has = (name: string, isFolder: boolean): boolean =>
    entries.some((entry) => entry.name === name && entry.isDirectory() === isFolder)
  return has('HEAD', false) && has('objects', true) && has('refs', true)
}

/**
 * Name of the folder with the links of a backup, in the folder of backups and in each storage. The next start removes
 * such folders after a crash.
 */
const SNAPSHOT = '.snapshot'

/** A storage to be backed up. */
export interface StorageFolder {
  readonly name: string
  readonly folder: string
}

/** The data to be backed up. */
export interface BackupSources {
  readonly dataDir: string
  readonly backups: string
  readonly storages: readonly StorageFolder[]
  /** Seconds since 1970, for new files. */
  readonly mtime: number
  /** Whether files are copied instead of linked. */
  readonly copies?: boolean
}

/** The files of an instance at one moment. */
export class Snapshot {
  readonly #sources: BackupSources
  readonly #links: Links[] = []
  #storages: (StorageFolder & StorageSnapshot)[] = []

  constructor(sources: BackupSources) {
    this.#sources = sources
    removeSnapshots(sources)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
  }

  /** A folder for other temporary files. */
  get folder(): string {
    return join(this.#sources.backups, SNAPSHOT)
  }

  get repositories(): number {
    return this.#storages.reduce((sum, { repositories }) => sum + repositories.length, 0)
  }

  /** Reads all refs. The caller prevents moves of refs. */
  readRefs(): void {
    this.#storages = this.#sources.storages.map((storage) => ({ ...storage, ...readStorage(storage.folder) }))
  }

  /** Links all other files. The caller prevents the removal of files; files may be added. */
  link(): void {
    const { dataDir, copies = false } = this.#sources
    const data = new Links(join(this.folder, 'data'), { copies })
    this.#links.push(data)
    const folders = new Set(this.#sources.storages.map(({ folder }) => folder))
    for (const name of readdirSync(dataDir)) {
      const path = join(dataDir, name)
      if (isIncluded(name) && !folders.has(path)) linkFolder(data, path, DATA + name)
    }
    for (const storage of this.#storages) this.#linkStorage(storage, copies)
    // Frees memory: there may be many refs, which are now in files.
    this.#storages = []
  }

  #linkStorage(storage: StorageFolder & StorageSnapshot, copies: boolean): void {
    if (storage.repositories.length + storage.files.length === 0) return
    const links = new Links(join(storage.folder, SNAPSHOT), { copies })
    this.#links.push(links)
    const { mtime } = this.#sources
    const prefix = `${STORAGES}${storage.name}/`
    for (const { path, refs } of storage.repositories) {
      const name = prefix + path
      if (!isEntryName(name)) continue
      for (const folder of [
        '',
        '/refs',
        '/refs/heads',
        '/refs/tags',
        '/objects',
        '/objects/info',
        '/objects/pack',
      ])
        links.addFolder(name + folder, mtime)
      links.addText(`${name}/HEAD`, refs.head, mtime)
      links.addText(`${name}/config`, refs.config, mtime)
      if (refs.packed !== '') links.addText(`${name}/packed-refs`, refs.packed, mtime)
      for (const [ref, content] of refs.loose) links.addText(`${name}/${ref}`, content, mtime)
      linkObjects(links, join(storage.folder, path), name)
    }
    for (const file of storage.files)
      if (isEntryName(prefix + file)) links.add(prefix + file, join(storage.folder, file))
  }

  get files(): number {
    return this.#links.reduce((sum, entry) => sum + entry.files, 0)
  }

  get bytes(): number {
    return this.#links.reduce((sum, entry) => sum + entry.bytes, 0)
  }

  get copied(): number {
    return this.#links.reduce((sum, entry) => sum + entry.copied, 0)
  }

  *sources() {
    for (const links of this.#links) yield* links.sources()
  }

  remove(): void {
    removeSnapshots(this.#sources)
  }
}

/** Does the same as `removeSnapshots` without blocking the thread, because there may be many links. */
export async function clearSnapshots({
  backups,
  storages,
}: Pick<BackupSources, 'backups' | 'storages'>): Promise<void> {
  for (const folder of [backups, ...storages.map((storage) => storage.folder)])
    await rm(join(folder, SNAPSHOT), { recursive: true, force: true })
}

/** Removes the links of a backup, including an interrupted one. */
export function removeSnapshots({ backups, storages }: Pick<BackupSources, 'backups' | 'storages'>): void {
  for (const folder of [backups, ...storages.map((storage) => storage.folder)])
    rmSync(join(folder, SNAPSHOT), { recursive: true, force: true })
}

/**
 * Links the files of a folder. Skips unfinished files, which nothing refers to yet, and symbolic links, which may lead
 * outside.
 */
function linkFolder(links: Links, path: string, name: string): void {
  let entries
  try {
    entries = readdirSync(path, { withFileTypes: true })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOTDIR') return void (isEntryName(name) && links.add(name, path))
    if (code === 'ENOENT') return
    throw error
  }
  for (const entry of entries) {
    const inner = `${name}/${entry.name}`
    if (entry.isDirectory()) linkFolder(links, join(path, entry.name), inner)
    else if (entry.isFile() && !entry.name.endsWith('.part') && isEntryName(inner))
      links.add(inner, join(path, entry.name))
  }
}
