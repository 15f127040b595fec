import {
  appendFileSync,
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import type { TarEntry } from '../../../lib/archive/tar-writer.ts'
import type { EntrySource } from '../archive/write.ts'

/** The maximum number of links in a folder, because large folders are slow. */
const PER_FOLDER = 1000
const LINES_PER_WRITE = 500
/** Error codes of a file system without hard links, or for links between two file systems. */
const NO_LINKS = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP', 'EMLINK', 'EINVAL'])

/**
 * Captures files of one folder as hard links, or as copies if the file system has no hard links. A link keeps the old
 * content when the file is replaced. Linked files must never be changed in place.
 */
export class Links {
  readonly #folder: string
  readonly #list: string
  readonly #copies: boolean
  #lines: string[] = []
  #count = 0
  /** Number of entries, and their bytes. */
  files = 0
  bytes = 0
  /** Number of files that were copied. */
  copied = 0

  /**
   * Creates `folder`, which should be on the file system of the linked files. With `copies`, files are copied instead
   * of linked.
   */
  constructor(folder: string, options: { copies?: boolean } = {}) {
    this.#folder = folder
    this.#list = join(folder, 'list')
    this.#copies = options.copies ?? false
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(this.#list, '', { mode: 0o600 })
  }

  /** Adds a file as an entry with this name. Returns false if the file does not exist. */
  add(name: string, file: string): boolean {
    const link = this.#nextPath()
    try {
      this.#linkOrCopy(file, link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
    const { size, mode, mtimeMs } = statSync(link)
    this.#record({ name, size, mode: mode & 0o777, mtime: Math.trunc(mtimeMs / 1000) }, link)
    return true
  }

  /** Adds a file with this content. */
  addText(name: string, content: string, mtime: number): void {
    const link = this.#nextPath()
    writeFileSync(link, content, { mode: 0o600 })
    this.#record({ name, size: Buffer.byteLength(content), mode: 0o644, mtime }, link)
  }

  /** Adds a folder that the backup must contain even if it is empty. */
  addFolder(name: string, mtime: number): void {
    this.#record({ name, size: 0, mode: 0o755, mtime, kind: 'folder' }, undefined)
  }

  /** All entries, in the order of addition. */
  *sources(): Generator<EntrySource> {
    this.#flush()
    // Even for very many files, the list has only a few megabytes.
    for (const line of readFileSync(this.#list, 'utf8').split('\n')) {
      if (line === '') continue
      const [entry, file] = JSON.parse(line) as [TarEntry, string | null]
      yield { entry, content: file === null ? { bytes: Buffer.alloc(0) } : { file } }
    }
  }

  /** Removes the links. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #nextPath(): string {
    const number = this.#count++
    const folder = join(this.#folder, String(Math.trunc(number / PER_FOLDER)))
    if (number % PER_FOLDER === 0) mkdirSync(folder, { recursive: true })
    return join(folder, String(number))
  }

  #linkOrCopy(file: string, link: string): void {
    if (!this.#copies) {
      try {
        return linkSync(file, link)
      } catch (error) {
        if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
      }
    }
    copyFileSync(file, link, constants.COPYFILE_FICLONE)
    this.copied += 1
  }

  #record(entry: TarEntry, file: string | undefined): void {
    this.files += 1
    this.bytes += entry.size
    this.#lines.push(`${JSON.stringify([entry, file ?? null])}\n`)
    if (this.#lines.length >= LINES_PER_WRITE) this.#flush()
  }

  #flush(): void {
    appendFileSync(this.#list, this.#lines.join(''))
    this.#lines = []
  }
}
