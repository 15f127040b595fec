import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** A repository that was written to a moment ago is likely to be written to again. */
const LINGER_MS = 10_000

interface Mark {
  readonly file: string
  writers: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Repositories that are being written to, as one small file each, so that the start after a crash finds the few of a
 * hundred thousand in which git may have left locks and half-written files. A mark is made before git begins. Nothing
 * waits for the disk: file systems keep the order in which names were made, so no lock outlives a power cut without
 * the mark that came before it.
 */
export class OpenWrites {
  readonly #folder: string
  readonly #marks = new Map<string, Mark>()
  #isMade = false

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Marks a repository; one that is still being made has the mark of what it becomes. Returns how to take the mark back,
   * which happens a little later.
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

  /** Whether somebody writes to a repository, or did a moment ago. */
  isOpen(gitDir: string): boolean {
    return this.#marks.has(gitDir)
  }

  /** Folders of repositories in which an instance was writing when it ended. To be asked before anybody writes. */
  left(): string[] {
    return readNames(this.#folder).flatMap((name) => {
      const gitDir = textOf(path.join(this.#folder, name))
      // A file that a power cut emptied says nothing; what it was about is found by whoever walks through everything.
      return path.isAbsolute(gitDir) ? [gitDir] : []
    })
  }

  /** Forgets what an instance has left, once it was seen to. */
  clear(): void {
    const own = new Set([...this.#marks.values()].map(({ file }) => path.basename(file)))
    for (const name of readNames(this.#folder))
      if (!own.has(name)) rmSync(path.join(this.#folder, name), { force: true })
  }

  /** At an orderly end: what nobody writes to any more needs no mark. */
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
      // On a full disk git says what is wrong, and better.
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
