import { readDiff, type FileDiff } from '../../../../git/read/diff.ts'
import { mergeBase } from '../../../../git/read/graph.ts'
import { keepAround } from '../../../../git/write/refs.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import type { Repo } from '../../../../git/types.ts'
import { diffLines, lineCode, type DiffLine, type Position } from '../../../discussions/index.ts'
import { inRepository } from '../../../projects/index.ts'
import { newestRefs, type VersionRefs } from './store-merge-requests.ts'
import { issuableId, projectOf, type ImportTarget } from './target.ts'
import type { Line, NewDiffNote } from './types.ts'

/** The part of a diff that is searched for lines. */
const LIMITS = {
  max_files: 3000,
  max_file_bytes: 1024 * 1024,
  max_bytes: 10 * 1024 * 1024,
  max_lines: 200_000,
}

/** The position of a note in the newest diff, or in that of the head that it was written for; null for neither. */
export async function findPosition(target: ImportTarget, given: NewDiffNote): Promise<Position | null> {
  const newest = newestRefs(target.ctx.db, issuableId(target, given.on))
  const { line } = given
  if (!newest || !line) return null
  return inRepository(target.ctx, projectOf(target), async (repo) => {
    const { head_sha } = given
    const isNewest = !head_sha || head_sha === newest.head_sha
    const refs = isNewest ? newest : await formerRefs(repo, newest, head_sha)
    return refs && positionIn(repo, refs, { ...given, line })
  })
}

/** The commits of a former version. Keeps its head in git. */
async function formerRefs(repo: Repo, newest: VersionRefs, head_sha: string): Promise<VersionRefs | null> {
  if ((await resolveCommit(repo, head_sha)) !== head_sha) return null
  await keepAround(repo, [head_sha])
  const base = await mergeBase(repo, newest.start_sha, head_sha)
  return { base_sha: base ?? newest.start_sha, start_sha: newest.start_sha, head_sha }
}

async function positionIn(
  repo: Repo,
  refs: VersionRefs,
  { path, line, first_line }: Pick<NewDiffNote, 'path' | 'first_line'> & { line: Line },
): Promise<Position | null> {
  const { files } = await readDiff(repo, { from: refs.base_sha, to: refs.head_sha }, LIMITS)
  const file = files.find((one) => one.new_path === path) ?? files.find((one) => one.old_path === path)
  const found = file && findLine(file.diff, line)
  if (!file || !found) return null
  const { old_path, new_path } = file
  const first = first_line && isBefore(first_line, line) ? findLine(file.diff, first_line) : undefined
  return {
    ...refs,
    old_path,
    new_path,
    position_type: 'text',
    old_line: found.old_line,
    new_line: found.new_line,
    line_range: first ? { start: endOf(file, first), end: endOf(file, found) } : null,
  }
}

const isBefore = (first: Line, last: Line): boolean => first.side !== last.side || first.line < last.line

function endOf({ new_path }: FileDiff, { type, old_line, new_line }: DiffLine) {
  return { line_code: lineCode(new_path, old_line ?? 0, new_line ?? 0), type, old_line, new_line }
}

/** The line with a number on one side, and its number on the other. Lines between hunks are unchanged. */
export function findLine(diff: string, { side, line }: Line): DiffLine | undefined {
  const of = (one: DiffLine): number | null => (side === 'new' ? one.new_line : one.old_line)
  // New numbers minus old ones.
  let shift = 0
  for (const one of diffLines(diff)) {
    const number = of(one)
    if (number === line) return one
    if (number !== null && number > line) break
    if (one.type === 'new') shift++
    if (one.type === 'old') shift--
  }
  const [old_line, new_line] = side === 'new' ? [line - shift, line] : [line, line + shift]
  return diff === '' || old_line < 1 || new_line < 1 ? undefined : { type: null, old_line, new_line }
}
