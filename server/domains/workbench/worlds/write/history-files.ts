import { isUtf8 } from 'node:buffer'

import type { ChangedFile } from '../../../../git/read/changed-paths.ts'
import type { Repo } from '../../../../git/types.ts'
import type { WorldFile } from '../model/schema.ts'
import type { Omissions } from './omissions.ts'

/** The maximum sizes of files in bytes, as text and as base64. */
const MAX_TEXT = 256 * 1024
const MAX_BINARY = 64 * 1024
const OVER_LIMIT = 'files of large repositories'
/** The number of objects that are requested from git at a time. */
const AT_ONCE = 64

/** The files of a project's commits. */
export class FileSelection {
  readonly #repo: Repo
  readonly #sizes = new Map<string, number>()
  /** Paths of files that a world cannot contain in every version. They are left out of all commits. */
  readonly #excluded = new Set<string>()

  constructor(repo: Repo) {
    this.#repo = repo
  }

  /**
   * Reads the sizes of files, and finds those to leave out: too large ones, and those beyond a total of `limit` bytes.
   * Returns the total size of the files to write.
   */
  async measure(
    changes: Iterable<readonly ChangedFile[]>,
    omissions: Omissions,
    { where, limit = Number.POSITIVE_INFINITY }: { where: string; limit?: number },
  ): Promise<number> {
    const files = [...changes].flat().filter((change) => !change.isRemoved)
    const ids = [...new Set(files.filter(({ mode }) => mode.startsWith('100')).map(({ id }) => id))]
    await inBatches(ids, async (id) => {
      const info = await this.#repo.git.catFiles.info(this.#repo, id)
      this.#sizes.set(id, info?.type === 'blob' ? info.size : Number.POSITIVE_INFINITY)
    })
    let sum = 0
    for (const { path, mode, id } of files) {
      if (this.#excluded.has(path)) continue
      const size = this.#sizes.get(id) ?? 0
      const reason = this.#reason(path, mode, size) ?? (sum + size > limit ? OVER_LIMIT : undefined)
      if (reason === undefined) sum += size
      else {
        this.#excluded.add(path)
        omissions.add(reason, `${where} ${path}`)
      }
    }
    return sum
  }

  #reason(path: string, mode: string, size: number): string | undefined {
    if (mode === '120000') return 'symbolic links'
    if (mode === '160000') return 'submodules'
    if (path.length > 255 || path.includes('\ufffd')) return 'files with paths that are too long, or no UTF-8'
    return size > MAX_TEXT ? `files larger than ${MAX_TEXT / 1024} kB` : undefined
  }

  /** The files that a commit changes, in the form of a world; removed ones first. */
  async of(
    changes: readonly ChangedFile[],
    omissions: Omissions,
    where: string,
  ): Promise<Map<string, WorldFile>> {
    const included = changes.filter(({ path }) => !this.#excluded.has(path))
    const files = new Map<string, WorldFile>()
    for (const { path, isRemoved } of included) if (isRemoved) files.set(path, null)
    const added = included.filter(({ isRemoved }) => !isRemoved)
    const contents = new Map<string, Buffer>()
    await inBatches([...new Set(added.map(({ id }) => id))], async (id) => {
      const object = await this.#repo.git.catFiles.contents(this.#repo, id)
      contents.set(id, object?.content ?? Buffer.alloc(0))
    })
    for (const { path, id, mode, old_mode } of added) {
      const bytes = contents.get(id)!
      const isLarge = bytes.length > MAX_BINARY && !isText(bytes)
      if (isLarge)
        omissions.add(
          `versions of binary files larger than ${MAX_BINARY / 1024} kB, empty here`,
          `${where} ${path}`,
        )
      files.set(path, isLarge ? '' : fileOf(bytes, mode === '100755', old_mode === '100755'))
    }
    return files
  }
}

function isText(bytes: Buffer): boolean {
  return isUtf8(bytes) && !bytes.includes(0)
}

function fileOf(bytes: Buffer, isExecutable: boolean, wasExecutable: boolean): WorldFile {
  const executable = isExecutable === wasExecutable && !isExecutable ? undefined : isExecutable
  const mode = executable === undefined ? {} : { executable }
  if (isText(bytes)) {
    const content = bytes.toString('utf8')
    return executable === undefined ? content : { content, ...mode }
  }
  return { base64: bytes.toString('base64'), ...mode }
}

async function inBatches<T>(values: readonly T[], work: (value: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < values.length; at += AT_ONCE)
    await Promise.all(values.slice(at, at + AT_ONCE).map(work))
}
