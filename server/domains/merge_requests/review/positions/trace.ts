import { lineCode, type Position } from '../../../discussions/index.ts'
import type { FileAcross, Files } from './files.ts'

/** The commits of one version of a merge request. */
export interface VersionRefs {
  readonly base_sha: string
  readonly start_sha: string
  readonly head_sha: string
}

/** The differences between two versions with bases A and C and heads B and D. */
export interface Comparisons {
  /** From the old base to the new one. */
  readonly ac: Files
  /** From the old head to the new one. */
  readonly bd: Files
  /** What the new version changes. */
  readonly cd: Files
}

interface Line {
  readonly old_path: string
  readonly new_path: string
  readonly old_line: number | null
  readonly new_line: number | null
}

/**
 * Translates a position in one version of a merge request to another. Undefined when it is outdated: its line changed,
 * was removed, or is not in the diff of the new version.
 */
export function tracePosition(position: Position, to: VersionRefs, diffs: Comparisons): Position | undefined {
  const { base_sha, start_sha, head_sha } = to
  if (position.position_type === 'image') {
    const { old_path, new_path } = position
    if (diffs.bd.from(new_path).differs || !diffs.cd.to(new_path).differs) return undefined
    return { ...position, base_sha, start_sha, head_sha, old_path, new_path }
  }
  const { old_line = null, new_line = null, old_path, new_path } = position
  const found = traceLine({ old_path, new_path, old_line, new_line }, diffs)
  if (!found) return undefined
  const line_range = position.line_range && traceRange(position.line_range, { position, diffs, found })
  return { ...position, base_sha, start_sha, head_sha, ...found, line_range: line_range ?? null }
}

function traceLine(line: Line, diffs: Comparisons): Line | undefined {
  return line.new_line === null ? traceRemoved(line, diffs) : tracePresent(line, diffs)
}

/** Traces a line of the old head. Its old number in the new version follows from the new base. */
function tracePresent(line: Line, { bd, cd }: Comparisons): Line | undefined {
  const head = bd.from(line.new_path)
  const new_line = head.lines?.toNew(line.new_line!)
  if (new_line === undefined) return undefined
  const file = cd.to(head.new_path)
  if (!file.differs || !file.lines) return undefined
  return { ...pathsOf(file), old_line: file.lines.toOld(new_line) ?? null, new_line }
}

/** Traces a line that the old version removes. It is outdated unless the new version removes it, too. */
function traceRemoved(line: Line, { ac, cd }: Comparisons): Line | undefined {
  const base = ac.from(line.old_path)
  const old_line = base.lines?.toNew(line.old_line!)
  if (old_line === undefined) return undefined
  const file = cd.from(base.new_path)
  if (!file.differs || !file.lines || file.lines.toNew(old_line) !== undefined) return undefined
  return { ...pathsOf(file), old_line, new_line: null }
}

const pathsOf = ({ old_path, new_path }: FileAcross) => ({ old_path, new_path })

/** Traces a range of lines. Null unless both ends can be traced. */
function traceRange(
  range: NonNullable<Position['line_range']>,
  { position, diffs, found }: { position: Position; diffs: Comparisons; found: Line },
): Position['line_range'] {
  const { old_path, new_path } = position
  const [start, end] = [range.start, range.end].map(({ old_line, new_line, type }) => {
    if (old_line === null && new_line === null) return undefined
    const line = traceLine({ old_path, new_path, old_line, new_line }, diffs)
    if (line?.new_path !== found.new_path) return undefined
    const code = lineCode(line.new_path, line.old_line ?? 0, line.new_line ?? 0)
    return { line_code: code, type, old_line: line.old_line, new_line: line.new_line }
  })
  return start && end ? { start, end } : null
}
