import type { Ctx } from '../../../ctx.ts'
import { type FileDiff, readDiff } from '../../../git/read/diff.ts'
import { GitError } from '../../../git/errors.ts'
import { isObjectId } from '../../../git/names.ts'
import { firstParent } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { lineCode, type NoteRow, type Position } from '../../discussions/index.ts'
import { type Project, repoOf } from '../../projects/index.ts'

/** The position of a note in a diff: the diff of its file and the code of its line. */
export interface NotePositionBlock {
  readonly st_diff: object | null
  readonly line_code: string | null
}

const NO_POSITION: NotePositionBlock = { st_diff: null, line_code: null }

/** The commits, file and line of a note. One of the two line numbers may be unknown. */
interface DiffPosition {
  readonly from: string | null
  readonly to: string
  readonly paths: readonly string[]
  readonly old_line: number | null
  readonly new_line: number | null
}

/** The position fields of a note in events (spec administration 3.9); all null for a note without a position. */
export async function diffPositionOf(ctx: Ctx, project: Project, note: NoteRow): Promise<NotePositionBlock> {
  const repo = repoOf(ctx, project)
  const position = note.position
    ? positionOfPosition(JSON.parse(note.position) as Position)
    : await positionOfComment(note, (commit) => firstParent(repo, commit))
  if (!position || !isObjectId(position.to)) return NO_POSITION
  const file = await fileOf(repo, position)
  return file ? { st_diff: diffBlock(file), line_code: codeOf(file, position) } : NO_POSITION
}

/** The diff of the file. Undefined if a commit is missing. */
async function fileOf(repo: Repo, { from, to, paths }: DiffPosition): Promise<FileDiff | undefined> {
  try {
    const { files } = await readDiff(repo, { from, to }, { paths })
    return files.find((one) => paths.includes(one.new_path) || paths.includes(one.old_path))
  } catch (error) {
    if (error instanceof GitError && error.reason === 'exit') return undefined
    throw error
  }
}

const NOTHING = /^0+$|^4b825dc642cb6eb9a060e54bf8d69288fbee4904$/

function positionOfPosition(position: Position): DiffPosition {
  const { base_sha, head_sha, old_path, new_path, old_line = null, new_line = null } = position
  const from = NOTHING.test(base_sha) ? null : base_sha
  return { from, to: head_sha, paths: [...new Set([old_path, new_path])], old_line, new_line }
}

/** The older form of positions: a line of a file that a commit changes. */
async function positionOfComment(
  note: NoteRow,
  parentOf: (commit: string) => Promise<string | null>,
): Promise<DiffPosition | undefined> {
  const { commit_id, path, line, line_type } = note
  if (commit_id === null || path === null) return undefined
  const [old_line, new_line] = line_type === 'old' ? [line, null] : [null, line]
  return { from: await parentOf(commit_id), to: commit_id, paths: [path], old_line, new_line }
}

function diffBlock(file: FileDiff) {
  const { diff, new_path, old_path, a_mode, b_mode, new_file, renamed_file, deleted_file } = file
  return { diff, new_path, old_path, a_mode, b_mode, new_file, renamed_file, deleted_file }
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** The line code: the line number on both sides of the diff. */
function codeOf(file: FileDiff, { old_line, new_line }: DiffPosition): string | null {
  if (old_line === null && new_line === null) return null
  if (old_line !== null && new_line !== null) return lineCode(file.new_path, old_line, new_line)
  let [old, fresh] = [0, 0]
  for (const text of file.diff.split('\n')) {
    const hunk = HUNK.exec(text)
    if (hunk) {
      ;[old, fresh] = [Number(hunk[1]), Number(hunk[2])]
      continue
    }
    const isFound = text.startsWith('-') ? old === old_line : text.startsWith('+') && fresh === new_line
    if (isFound) return lineCode(file.new_path, old, fresh)
    if (!text.startsWith('+')) old++
    if (!text.startsWith('-')) fresh++
  }
  return null
}
