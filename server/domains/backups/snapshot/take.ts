import { mkdirSync, readdirSync, rmSync, type Dirent } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { DATA, STORAGES, isEntryName, isKept } from '../archive/format.ts'
import { Links } from './links.ts'
import { linkObjects, readRefs, type RefsOfMoment } from './repositories.ts'

/** A repository of a storage at one moment. */
export interface FoundRepository {
  /** Path in the folder of the storage, with `/`. */
  readonly path: string
  readonly refs: RefsOfMoment
}

/** The content of a storage. */
export interface FoundStorage {
  readonly repositories: readonly FoundRepository[]
  /** Files that belong to no repository. */
  readonly files: readonly string[]
}

/** Repositories that are being created or removed, unfinished copies, and snapshots. */
const PASSING = /^\.|\.(new|deleted)-[A-Za-z0-9]+$|\.moving$|^before-restore-/

/** Finds all repositories of a storage and reads their refs. The caller prevents moves of refs. */
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

/** Name of the folder of links in each folder of the backup; the start removes those that a crash left. */
export const SNAPSHOT = '.snapshot'

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
  /** True to copy files, false to link them. */
  readonly copies?: boolean
}

/** The files of an instance at one moment. */
export class Snapshot {
  readonly #sources: BackupSources
  readonly #all: Links[] = []
  #found: (StorageFolder & FoundStorage)[] = []

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
    return this.#found.reduce((sum, { repositories }) => sum + repositories.length, 0)
  }

  /** Reads all refs. The caller prevents moves of refs. */
  readRefs(): void {
    this.#found = this.#sources.storages.map((storage) => ({ ...storage, ...readStorage(storage.folder) }))
  }

  /** Links all other files. The caller prevents the removal of files; files may be added. */
  link(): void {
    const { dataDir, copies = false } = this.#sources
    const data = new Links(join(this.folder, 'data'), { copies })
    this.#all.push(data)
    const folders = new Set(this.#sources.storages.map(({ folder }) => folder))
    for (const name of readdirSync(dataDir)) {
      const path = join(dataDir, name)
      if (isKept(name) && !folders.has(path)) linkFolder(data, path, DATA + name)
    }
    for (const storage of this.#found) this.#linkStorage(storage, copies)
    // Frees memory: there may be many refs, and they are in files now.
    this.#found = []
  }

  #linkStorage(storage: StorageFolder & FoundStorage, copies: boolean): void {
    if (storage.repositories.length + storage.files.length === 0) return
    const links = new Links(join(storage.folder, SNAPSHOT), { copies })
    this.#all.push(links)
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
    return this.#all.reduce((sum, entry) => sum + entry.files, 0)
  }

  get bytes(): number {
    return this.#all.reduce((sum, entry) => sum + entry.bytes, 0)
  }

  get copied(): number {
    return this.#all.reduce((sum, entry) => sum + entry.copied, 0)
  }

  *sources() {
    for (const links of this.#all) yield* links.sources()
  }

  remove(): void {
    removeSnapshots(this.#sources)
  }
}

/** Like `removeSnapshots`, without blocking, because there may be many links. */
export async function clearSnapshots({
  backups,
  storages,
}: Pick<BackupSources, 'backups' | 'storages'>): Promise<void> {
  for (const folder of [backups, ...storages.map((storage) => storage.folder)])
    await rm(join(folder, SNAPSHOT), { recursive: true, force: true })
}

/** Removes the links of a backup, also of an interrupted one. */
export function removeSnapshots({ backups, storages }: Pick<BackupSources, 'backups' | 'storages'>): void {
  for (const folder of [backups, ...storages.map((storage) => storage.folder)])
    rmSync(join(folder, SNAPSHOT), { recursive: true, force: true })
}

/** Unfinished files are not referenced yet, and symbolic links may point outside. */
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
