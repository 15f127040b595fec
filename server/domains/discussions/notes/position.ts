import { createHash } from 'node:crypto'

import { readFile } from '../../../git/read/blob.ts'
import { readDiff, type FileDiff } from '../../../git/read/diff.ts'
import type { Repo } from '../../../git/types.ts'
import { fail, type Failure } from '../../../lib/fail.ts'

/** A line of a diff. A removed line has no new number, an added line no old number. */
export interface DiffLine {
  readonly type: 'new' | 'old' | null
  readonly old_line: number | null
  readonly new_line: number | null
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** Yields the lines in the hunks of a diff, with their numbers. */
export function* linesOf(diff: string): Generator<DiffLine> {
  let [oldLine, newLine] = [0, 0]
  for (const text of diff.split('\n')) {
    const hunk = HUNK.exec(text)
    if (hunk) [oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])]
    else if (text.startsWith('+')) yield { type: 'new', old_line: null, new_line: newLine++ }
    else if (text.startsWith('-')) yield { type: 'old', old_line: oldLine++, new_line: null }
    else if (text.startsWith(' ')) yield { type: null, old_line: oldLine++, new_line: newLine++ }
  }
}

/** Finds the line of a diff with these numbers. Undefined when no hunk shows it. */
export function findLine(
  diff: string,
  numbers: { readonly old_line?: number | null | undefined; readonly new_line?: number | null | undefined },
): DiffLine | undefined {
  for (const line of linesOf(diff)) {
    if (line.old_line === (numbers.old_line ?? null) && line.new_line === (numbers.new_line ?? null))
      return line
  }
  return undefined
}

/** Finds the line with this number that was added (`new`) or removed (`old`). */
export function findChanged(diff: string, type: 'new' | 'old', line: number): DiffLine | undefined {
  return findLine(diff, type === 'new' ? { new_line: line } : { old_line: line })
}

/**
 * Whether the two numbers are those of an unchanged line between the hunks. They differ by the number of lines that
 * earlier hunks add or remove.
 */
export function isUnchangedLine(diff: string, old_line: number, new_line: number): boolean {
  let shift = 0
  for (const line of linesOf(diff)) {
    if ((line.old_line ?? 0) >= old_line || (line.new_line ?? 0) >= new_line) break
    if (line.type === 'new') shift++
    if (line.type === 'old') shift--
  }
  return old_line >= 1 && new_line - old_line === shift && !isInHunk(diff, old_line, new_line)
}

function isInHunk(diff: string, old_line: number, new_line: number): boolean {
  for (const line of linesOf(diff)) {
    if (line.old_line === old_line || line.new_line === new_line) return true
  }
  return false
}

/** The first or last line of a range. */
export interface RangeEnd {
  readonly line_code: string | null
  readonly type: 'new' | 'old' | null
  readonly old_line: number | null
  readonly new_line: number | null
}

/** A position in a diff, as it is stored and shown (spec core 5.5). */
export interface Position {
  readonly base_sha: string
  readonly start_sha: string
  readonly head_sha: string
  readonly old_path: string
  readonly new_path: string
  readonly position_type: 'text' | 'image'
  readonly old_line?: number | null
  readonly new_line?: number | null
  readonly line_range?: { readonly start: RangeEnd; readonly end: RangeEnd } | null
  readonly width?: number | null
  readonly height?: number | null
  readonly x?: number | null
  readonly y?: number | null
}

type End = { readonly [K in keyof RangeEnd]?: RangeEnd[K] | undefined }

/** A position in a diff, as a request contains it. */
export interface PositionInput {
  readonly base_sha: string
  readonly start_sha: string
  readonly head_sha: string
  readonly position_type: 'text' | 'image'
  readonly old_path?: string | undefined
  readonly new_path?: string | undefined
  readonly old_line?: number | undefined
  readonly new_line?: number | undefined
  readonly line_range?: { readonly start?: End | undefined; readonly end?: End | undefined } | undefined
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly x?: number | undefined
  readonly y?: number | undefined
}

/** Returns the line code of a line in a diff: the SHA-1 of the path, the old and the new number of the line. */
export function lineCode(path: string, oldLine: number, newLine: number): string {
  return `${createHash('sha1').update(path).digest('hex')}_${oldLine}_${newLine}`
}

/** The commits of a diff. `base` and `start` are null for the first commit of a history. */
export interface DiffRefs {
  readonly base: string | null
  readonly start: string | null
  readonly head: string
}

const MAX_FILE_BYTES = 5 * 1024 * 1024

function badPosition(problem: string): Failure {
  return fail('bad_request', `400 Bad request - Note ${problem}`)
}

/** Returns the error for a position that a diff does not have, in the contract's words. */
export function badLineCode(): Failure {
  return badPosition(`{:line_code=>["can't be blank", "must be a valid line code"]}`)
}

/**
 * Finds a position in the diff and completes it. Throws 400, with the contract's sentences, for other commits, for a
 * file that the diff does not change, and for lines that it does not have.
 */
export async function checkPosition(repo: Repo, refs: DiffRefs, position: PositionInput): Promise<Position> {
  if (
    position.head_sha !== refs.head ||
    !namesCommit(position.base_sha, refs.base) ||
    !namesCommit(position.start_sha, refs.start)
  ) {
    throw badPosition('{:position=>["is invalid"]}')
  }
  const file = await fileOf(repo, refs, position)
  if (!file) throw badLineCode()
  const { base_sha, start_sha, head_sha, position_type } = position
  const { old_path, new_path } = file
  const common = { base_sha, start_sha, head_sha, old_path, new_path, position_type }
  if (position_type === 'image') {
    const { width = null, height = null, x = null, y = null } = position
    return { ...common, width, height, x, y }
  }
  if (!(await hasLine(repo, refs, file, position))) throw badLineCode()
  const { old_line = null, new_line = null } = position
  return { ...common, old_line, new_line, line_range: rangeOf(position, file) }
}

const ZEROS = /^0+$/

/** Whether a client names this commit. If there is none, clients send zeros or the ID of the empty tree. */
function namesCommit(text: string, commit: string | null): boolean {
  if (commit !== null) return text === commit
  return ZEROS.test(text) || text === '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
}

async function fileOf(repo: Repo, refs: DiffRefs, position: PositionInput): Promise<FileDiff | undefined> {
  const paths = [position.old_path, position.new_path].filter((path) => path !== undefined).filter(Boolean)
  if (paths.length === 0) return undefined
  const { files } = await readDiff(
    repo,
    { from: refs.base, to: refs.head },
    {
      max_file_bytes: MAX_FILE_BYTES,
      max_bytes: 4 * MAX_FILE_BYTES,
      max_lines: 500_000,
      // With only one path, git would show a renamed file as a new one.
      ...(paths.length === 2 ? { paths } : {}),
    },
  )
  return files.find(
    (file) =>
      (position.new_path === undefined || file.new_path === position.new_path) &&
      (position.old_path === undefined || file.old_path === position.old_path),
  )
}

async function hasLine(
  repo: Repo,
  refs: DiffRefs,
  file: FileDiff,
  { old_line, new_line }: PositionInput,
): Promise<boolean> {
  if (old_line === undefined && new_line === undefined) return false
  if (findLine(file.diff, { old_line, new_line })) return true
  // Unchanged lines between the hunks have both numbers.
  if (old_line === undefined || new_line === undefined) return false
  if (!isUnchangedLine(file.diff, old_line, new_line)) return false
  const content = await readFile(repo, refs.head, file.new_path, { maxBytes: MAX_FILE_BYTES })
  return (
    content !== null && new_line <= content.content.toString('latin1').replace(/\n$/, '').split('\n').length
  )
}

function rangeOf({ line_range }: PositionInput, file: FileDiff): Position['line_range'] {
  if (!line_range?.start || !line_range.end) return null
  const end = (input: NonNullable<typeof line_range.start>) => {
    const { old_line = null, new_line = null, type = null } = input
    const code = input.line_code ?? lineCode(file.new_path, old_line ?? 0, new_line ?? 0)
    return { line_code: code, type, old_line, new_line }
  }
  return { start: end(line_range.start), end: end(line_range.end) }
}
