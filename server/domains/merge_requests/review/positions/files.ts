/** A file that differs between two commits. */
export interface ChangedFile {
  readonly old_path: string
  readonly new_path: string
  readonly new_file: boolean
  readonly deleted_file: boolean
  /** The hunks. Null for a binary or very large file. */
  readonly diff: string | null
}

/** A file in two commits. */
export interface FileAcross {
  readonly old_path: string
  readonly new_path: string
  /** Undefined when the lines cannot be mapped. */
  readonly lines: LineMap | undefined
  /** False when the file is the same in both. */
  readonly differs: boolean
}

/** The files that differ between two commits, by their old and new paths. */
export class Files {
  readonly #byOld = new Map<string, FileAcross>()
  readonly #byNew = new Map<string, FileAcross>()

  constructor(changed: readonly ChangedFile[]) {
    for (const file of changed) {
      const { old_path, new_path, diff } = file
      const lines = diff === null ? undefined : lineMap(diff)
      const across = { old_path, new_path, lines, differs: true }
      if (!file.new_file) this.#byOld.set(old_path, across)
      if (!file.deleted_file) this.#byNew.set(new_path, across)
    }
  }

  /** Finds a file by its old path. */
  from(path: string): FileAcross {
    return this.#byOld.get(path) ?? same(path)
  }

  /** Finds a file by its new path. */
  to(path: string): FileAcross {
    return this.#byNew.get(path) ?? same(path)
  }
}

const same = (path: string): FileAcross => ({
  old_path: path,
  new_path: path,
  lines: UNCHANGED,
  differs: false,
})

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/

/** Maps the lines of a file between two versions. Undefined for lines that the other version does not have. */
export interface LineMap {
  toNew(line: number): number | undefined
  toOld(line: number): number | undefined
}

/** The map of a file that did not change. */
export const UNCHANGED: LineMap = { toNew: (line) => line, toOld: (line) => line }

/** From these lines on, both sides advance together until the next step. */
interface Step {
  readonly old: number
  readonly fresh: number
}

/** Finds the last step at or before a line of one side. Steps are sorted on both sides. */
function lastAt(steps: readonly Step[], side: keyof Step, line: number): Step {
  let [low, high] = [0, steps.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (steps[middle]![side] <= line) low = middle
    else high = middle - 1
  }
  return steps[low]!
}

/** Builds the line map of a file from the hunks of its diff. */
export function lineMap(diff: string): LineMap {
  const steps: Step[] = [{ old: 1, fresh: 1 }]
  const removed = new Set<number>()
  const added = new Set<number>()
  let [old, fresh] = [1, 1]
  for (const text of diff.split('\n')) {
    const hunk = HUNK.exec(text)
    if (hunk) {
      // A hunk names the line before an empty side.
      old = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0)
      fresh = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0)
    } else if (text.startsWith('-')) {
      removed.add(old++)
      steps.push({ old, fresh })
    } else if (text.startsWith('+')) {
      added.add(fresh++)
      steps.push({ old, fresh })
    } else if (text.startsWith(' ')) {
      old++
      fresh++
    }
  }
  return {
    toNew(line) {
      if (removed.has(line)) return undefined
      const step = lastAt(steps, 'old', line)
      return line + step.fresh - step.old
    },
    toOld(line) {
      if (added.has(line)) return undefined
      const step = lastAt(steps, 'fresh', line)
      return line + step.old - step.fresh
    },
  }
}
