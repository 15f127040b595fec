import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A mark stays for this long, because another write is likely. */
const LINGER_MS = 10_000

interface Mark {
  readonly file: string
  writers: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Marks repositories with a write under way by one small file each. After a crash, the start looks for locks and
 * unfinished files only in these. A mark is written before git begins. Nothing waits for the disk: file systems keep
 * the order in which names were created, so no lock survives a power cut without its mark.
 */
export class OpenWrites {
  readonly #folder: string
  readonly #marks = new Map<string, Mark>()
  #isMade = false

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Marks a repository. One that is still being created has the mark of its final folder. Returns how to remove the
   * mark, which happens a little later.
   */
  enter(folder: string): () => void {
    const gitDir = folder.replace(/\.new-[^./\\]+$/, '')
    const mark = this.#marks.get(gitDir) ?? this.#make(gitDir)
    clearTimeout(mark.timer)
    mark.timer = undefined
    mark.writers++
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
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

  /** Repositories that the last instance was writing to when it ended. Call it before any write. */
  left(): string[] {
    return readNames(this.#folder).flatMap((name) => {
      const gitDir = textOf(path.join(this.#folder, name))
      // A power cut can leave the file empty; the doctor then finds what the write left.
      return path.isAbsolute(gitDir) ? [gitDir] : []
    })
  }

  /** Removes the marks of the last instance, after the repositories were cleaned up. */
  clear(): void {
    const ownFiles = new Set([...this.#marks.values()].map(({ file }) => path.basename(file)))
    for (const name of readNames(this.#folder))
      if (!ownFiles.has(name)) rmSync(path.join(this.#folder, name), { force: true })
  }

  /** Removes the marks of finished writes at a regular end. */
  close(): void {
    for (const [gitDir, mark] of this.#marks) {
      clearTimeout(mark.timer)
      if (mark.writers === 0) this.#remove(gitDir, mark)
    }
  }

  #make(gitDir: string): Mark {
    const name = createHash('sha256').update(gitDir).digest('hex').slice(0, 32)
    const mark: Mark = { file: path.join(this.#folder, name), writers: 0, timer: undefined }
    this.#marks.set(gitDir, mark)
    try {
      if (!this.#isMade) mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
      this.#isMade = true
      writeFileSync(mark.file, gitDir, { mode: 0o600 })
    } catch {
      // On a full disk git itself reports the problem.
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
