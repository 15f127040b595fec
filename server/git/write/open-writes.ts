import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The time in milliseconds that a mark stays after a write, because another write is likely. */
const LINGER_MS = 10_000

interface Mark {
  readonly file: string
  writers: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Marks each repository with a running write by a small file. After a crash, the start looks for locks and unfinished
 * files only in marked repositories. A mark is written before git starts. It is not synced, because file systems keep the
 * order in which names were created, so no lock survives a power cut without its mark.
 */
export class OpenWrites {
  readonly #folder: string
  readonly #marks = new Map<string, Mark>()
  #hasFolder = false

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Marks a repository. A repository that is still being created gets the mark of its final folder. Call the returned
   * function at the end of the write; the mark is removed a little later.
   */
  enter(folder: string): () => void {
    const gitDir = folder.replace(/\.new-[^./\\]+$/, '')
    const mark = this.#marks.get(gitDir) ?? this.#create(gitDir)
    clearTimeout(mark.timer)
    mark.timer = undefined
    mark.writers++
    let hasEnded = false
    return () => {
      if (hasEnded) return
      hasEnded = true
      mark.writers--
      if (mark.writers > 0) return
      mark.timer = setTimeout(() => this.#remove(gitDir, mark), LINGER_MS)
      mark.timer.unref()
    }
  }

  /** True while a repository is written to, and for a moment afterwards. */
  isOpen(gitDir: string): boolean {
    return this.#marks.has(gitDir)
  }

  /** The repositories that the last instance was writing to when it was killed. Call it before any write. */
  interrupted(): string[] {
    return readNames(this.#folder).flatMap((name) => {
      const gitDir = textOf(path.join(this.#folder, name))
      // After a power cut the file may be empty. Then `deskforge doctor` finds the leftovers of the write.
      return path.isAbsolute(gitDir) ? [gitDir] : []
    })
  }

  /** Removes the marks of the last instance, after the repositories were cleaned up. */
  clear(): void {
    const ownFiles = new Set([...this.#marks.values()].map(({ file }) => path.basename(file)))
    for (const name of readNames(this.#folder))
      if (!ownFiles.has(name)) rmSync(path.join(this.#folder, name), { force: true })
  }

  /** Removes the marks of finished writes when the instance stops. */
  close(): void {
    for (const [gitDir, mark] of this.#marks) {
      clearTimeout(mark.timer)
      if (mark.writers === 0) this.#remove(gitDir, mark)
    }
  }

  #create(gitDir: string): Mark {
    const name = createHash('sha256').update(gitDir).digest('hex').slice(0, 32)
    const mark: Mark = { file: path.join(this.#folder, name), writers: 0, timer: undefined }
    this.#marks.set(gitDir, mark)
    try {
      if (!this.#hasFolder) mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      this.#hasFolder = true
      writeFileSync(mark.file, gitDir, { mode: 0o600 })
    } catch {
      // On a full disk, git itself reports the problem.
    }
    return mark
  }

  #remove(gitDir: string, mark: Mark): void {
    if (this.#marks.get(gitDir) !== mark || mark.writers > 0) return
    this.#marks.delete(gitDir)
    rmSync(mark.file, { force: true })
  }
}

function readNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
