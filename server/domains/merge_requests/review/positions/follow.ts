import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { listChanges } from '../../../../git/write/changes.ts'
import { readDiff } from '../../../../git/read/diff.ts'
import type { Repo } from '../../../../git/types.ts'
import {
  diffThreadsOf,
  moveThreads,
  outdateThread,
  type DiffThread,
  type Position,
  lineCode,
} from '../../../discussions/index.ts'
import { inRepository, projectById, type Project } from '../../../projects/index.ts'
import { diffsOf, type DiffVersionRow } from '../../diffs/store.ts'
import { actingAs } from '../../policy.ts'
import { mergeRequestNoteable } from '../../service-notes.ts'
import * as requests from '../../store.ts'
import type { MergeRequestRow } from '../../types.ts'
import { ChangedFiles, type ComparedFile } from './files.ts'

/** The commits of one version of a merge request. */
export interface VersionRefs {
  readonly base_sha: string
  readonly start_sha: string
  readonly head_sha: string
}

/** The differences between two versions with bases A and C and heads B and D. */
export interface Comparisons {
  /** From the old base to the new one. */
  readonly ac: ChangedFiles
  /** From the old head to the new one. */
  readonly bd: ChangedFiles
  /** From the new base to the new head. */
  readonly cd: ChangedFiles
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
    if (diffs.bd.byOldPath(new_path).differs || !diffs.cd.byNewPath(new_path).differs) return undefined
    return { ...position, base_sha, start_sha, head_sha, old_path, new_path }
  }
  const { old_line = null, new_line = null, old_path, new_path } = position
  const line = traceLine({ old_path, new_path, old_line, new_line }, diffs)
  if (!line) return undefined
  const line_range = position.line_range && traceRange(position.line_range, { position, diffs, found: line })
  return { ...position, base_sha, start_sha, head_sha, ...line, line_range: line_range ?? null }
}

function traceLine(line: Line, diffs: Comparisons): Line | undefined {
  return line.new_line === null ? traceRemoved(line, diffs) : tracePresent(line, diffs)
}

/** Traces a line of the old head. Its old number in the new version follows from the new base. */
function tracePresent(line: Line, { bd, cd }: Comparisons): Line | undefined {
  const head = bd.byOldPath(line.new_path)
  const new_line = head.lines?.toNew(line.new_line!)
  if (new_line === undefined) return undefined
  const file = cd.byNewPath(head.new_path)
  if (!file.differs || !file.lines) return undefined
  return { ...pathsOf(file), old_line: file.lines.toOld(new_line) ?? null, new_line }
}

/** Traces a line that the old version removes. It is outdated unless the new version removes it, too. */
function traceRemoved(line: Line, { ac, cd }: Comparisons): Line | undefined {
  const base = ac.byOldPath(line.old_path)
  const old_line = base.lines?.toNew(line.old_line!)
  if (old_line === undefined) return undefined
  const file = cd.byOldPath(base.new_path)
  if (!file.differs || !file.lines || file.lines.toNew(old_line) !== undefined) return undefined
  return { ...pathsOf(file), old_line, new_line: null }
}

const pathsOf = ({ old_path, new_path }: ComparedFile) => ({ old_path, new_path })

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

const MB = 1024 * 1024

/** The limits of the diffs. The lines of larger files count as changed. */
const LIMITS = { max_files: 2000, max_file_bytes: 8 * MB, max_bytes: 64 * MB, max_lines: 1_000_000 }

/**
 * Reads the differences between two commits in the files with one of these old or new paths. Renames are detected among
 * all files, but only the lines of these files are read.
 */
async function readFiles(
  repo: Repo,
  { from, to }: { from: string | null; to: string },
  paths: { readonly old?: ReadonlySet<string>; readonly new?: ReadonlySet<string> },
): Promise<ChangedFiles> {
  if (from === to) return new ChangedFiles([])
  const changes = (await listChanges(repo, { from, to })).filter(
    (change) => paths.old?.has(change.old_path) || paths.new?.has(change.new_path),
  )
  if (changes.length === 0) return new ChangedFiles([])
  const bothPaths = [...new Set(changes.flatMap((change) => [change.old_path, change.new_path]))]
  const { files } = await readDiff(repo, { from, to }, { ...LIMITS, paths: bothPaths })
  const byPath = new Map(files.map((file) => [`${file.old_path}\0${file.new_path}`, file]))
  return new ChangedFiles(
    changes.map(({ old_path, new_path, status }) => {
      const file = byPath.get(`${old_path}\0${new_path}`)
      const isKnown = file && !file.binary && !file.too_large && !file.collapsed
      const [new_file, deleted_file] = [status === 'added', status === 'deleted']
      return { old_path, new_path, new_file, deleted_file, diff: isKnown ? file.diff : null }
    }),
  )
}

/** Returns the commits of a version, under the names that positions use. */
export function refsOf(version: DiffVersionRow): VersionRefs {
  return {
    base_sha: version.base_commit_sha ?? version.start_commit_sha,
    start_sha: version.start_commit_sha,
    head_sha: version.head_commit_sha,
  }
}

/** Whether a position is in the diff of this version. */
export function isIn(position: Position, refs: VersionRefs): boolean {
  return (
    position.head_sha === refs.head_sha &&
    position.base_sha === refs.base_sha &&
    position.start_sha === refs.start_sha
  )
}

/**
 * Translates positions in one version to another version, and returns them in the same order. An outdated position
 * becomes undefined. Runs git only three times, even for many positions.
 */
export async function followPositions(
  repo: Repo,
  from: VersionRefs,
  to: VersionRefs,
  positions: readonly Position[],
): Promise<(Position | undefined)[]> {
  if (positions.length === 0) return []
  const oldPaths = new Set(positions.map((position) => position.old_path))
  const newPaths = new Set(positions.map((position) => position.new_path))
  const [ac, bd] = await Promise.all([
    readFiles(repo, { from: from.base_sha, to: to.base_sha }, { old: oldPaths }),
    readFiles(repo, { from: from.head_sha, to: to.head_sha }, { old: newPaths }),
  ])
  const cd = await readFiles(
    repo,
    { from: to.base_sha, to: to.head_sha },
    {
      old: new Set([...oldPaths].map((path) => ac.byOldPath(path).new_path)),
      new: new Set([...newPaths].map((path) => bd.byOldPath(path).new_path)),
    },
  )
  return positions.map((position) => tracePosition(position, to, { ac, bd, cd }))
}

/**
 * Moves the threads of the previous version to their lines in the new version. A thread on a changed line keeps its
 * position and is outdated; it is resolved if the project requires that.
 */
export async function movePositions(
  ctx: Ctx,
  event: { merge_request_id: number; diff_id: number; actor_id: number | null },
): Promise<void> {
  const request = requests.byId(ctx.db, event.merge_request_id)
  const project = request && projectById(ctx.db, request.project_id)
  if (!project) return
  const versions = diffsOf(ctx.db, request)
  const index = versions.findIndex((version) => version.id === event.diff_id)
  const [newVersion, previous] = [versions[index], versions[index + 1]]
  if (index < 0 || !newVersion || !previous) return
  const threads = diffThreadsOf(ctx.db, mergeRequestNoteable(request)).filter((thread) =>
    isIn(thread.position, refsOf(previous)),
  )
  if (threads.length === 0) return
  const positions = await inRepository(ctx, project, (repo) =>
    followPositions(
      repo,
      refsOf(previous),
      refsOf(newVersion),
      threads.map((thread) => thread.position),
    ),
  )
  const actorCtx = actingAs(ctx, event.actor_id ?? request.author_id)
  const number = versions.length - index
  tx(ctx.db, () => {
    const moves = threads.flatMap((thread, index) => {
      const position = positions[index]
      return position ? [{ thread, position }] : []
    })
    moveThreads(ctx, moves)
    for (const [index, thread] of threads.entries())
      if (!positions[index]) markOutdated(actorCtx, { project, request, thread, number })
  })
}

function markOutdated(
  ctx: Ctx,
  input: {
    project: Project
    request: MergeRequestRow
    thread: DiffThread
    number: number
  },
): void {
  const { project, request, thread, number } = input
  outdateThread(ctx, mergeRequestNoteable(request), thread, {
    body: `changed this line in version ${number} of the diff`,
    author_id: ctx.actor.id ?? request.author_id,
    resolve: project.resolve_outdated_diff_discussions,
  })
}
