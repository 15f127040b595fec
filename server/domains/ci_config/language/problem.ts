import type { SourceLocation } from './values.ts'

/** One error or warning: the message of the contract, and the location of its cause. */
export interface Problem {
  readonly message: string
  /** File of the location; null for the configuration itself. */
  readonly file: string | null
  /** From 1; null without a location in the text. */
  readonly line: number | null
  readonly column: number | null
}

/** Stops the reading of a configuration: the only error in the list (spec ci 4.1). */
export class LoadError extends Error {
  readonly location: SourceLocation | undefined

  constructor(message: string, location?: SourceLocation) {
    super(message)
    this.name = 'LoadError'
    this.location = location
  }
}

/** The files that a configuration was read from; turns locations into lines and columns. */
export class Sources {
  readonly #files: { name: string | null; text: string; lines: number[] | undefined }[] = []

  /** Adds a file and returns its number. The name is null for the configuration itself. */
  add(name: string | null, text: string): number {
    return this.#files.push({ name, text, lines: undefined }) - 1
  }

  /** A problem with a message and a location. */
  problem(message: string, location: SourceLocation | undefined): Problem {
    const file = location ? this.#files[location.file] : undefined
    if (!location || !file) return { message, file: null, line: null, column: null }
    file.lines ??= lineStarts(file.text)
    const line = lastAtMost(file.lines, location.offset)
    return { message, file: file.name, line: line + 1, column: location.offset - file.lines[line]! + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

function lastAtMost(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle - 1
  }
  return low
}
