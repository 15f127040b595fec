/** A file that differs between two commits. */
export interface ChangedFile {
  readonly old_path: string
  readonly new_path: string
  readonly new_file: boolean
  readonly deleted_file: boolean
  /** The hunks. Null for a binary or very large file. */
  readonly diff: string | null
}

/** A file in two commits that are compared. */
export interface ComparedFile {
  readonly old_path: string
  readonly new_path: string
  /** Undefined when the lines cannot be mapped. */
  readonly lines: LineMap | undefined
  /** False when the file is the same in both. */
  readonly differs: boolean
}

/** The files that differ between two commits, by their old and new paths. */
export class ChangedFiles {
  readonly #byOld = new Map<string, ComparedFile>()
  readonly #byNew = new Map<string, ComparedFile>()

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
  byOldPath(path: string): ComparedFile {
    return this.#byOld.get(path) ?? unchangedFile(path)
  }

  /** Finds a file by its new path. */
  byNewPath(path: string): ComparedFile {
    return this.#byNew.get(path) ?? unchangedFile(path)
  }
}

const unchangedFile = (path: string): ComparedFile => ({
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

/** Two lines that correspond. From here to the next step, both sides advance together. */
interface Step {
  readonly oldLine: number
  readonly newLine: number
}

/** Finds the last step at or before a line of one side. The steps are sorted by both sides. */
function lastStepAt(steps: readonly Step[], side: keyof Step, line: number): Step {
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
  const steps: Step[] = [{ oldLine: 1, newLine: 1 }]
  const removed = new Set<number>()
  const added = new Set<number>()
  let [oldLine, newLine] = [1, 1]
  for (const text of diff.split('\n')) {
    const hunk = HUNK.exec(text)
    if (hunk) {
      // If a side has no lines, its number is that of the line before.
      oldLine = Number(hunk[1]) + (hunk[2] === '0' ? 1 : 0)
      newLine = Number(hunk[3]) + (hunk[4] === '0' ? 1 : 0)
    } else if (text.startsWith('-')) {
      removed.add(oldLine++)
      steps.push({ oldLine, newLine })
    } else if (text.startsWith('+')) {
      added.add(newLine++)
      steps.push({ oldLine, newLine })
    } else if (text.startsWith(' ')) {
      oldLine++
      newLine++
    }
  }
  return {
    toNew(line) {
      if (removed.has(line)) return undefined
      const step = lastStepAt(steps, 'oldLine', line)
      return line + step.newLine - step.oldLine
    },
    toOld(line) {
      if (added.has(line)) return undefined
      const step = lastStepAt(steps, 'newLine', line)
      return line + step.oldLine - step.newLine
    },
  }
}
