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
} from '../../../discussions/index.ts'
import { inRepository, projectById, type Project } from '../../../projects/index.ts'
import { diffsOf, type DiffVersionRow } from '../../diffs/store.ts'
import { actingAs } from '../../policy.ts'
import { mergeRequestNoteable } from '../../service-notes.ts'
import * as requests from '../../store.ts'
import type { MergeRequestRow } from '../../types.ts'
import { Files } from './files.ts'
import { tracePosition, type VersionRefs } from './trace.ts'

const MB = 1024 * 1024

/** The limits of the diffs. The lines of larger files count as changed. */
const LIMITS = { max_files: 2000, max_file_bytes: 8 * MB, max_bytes: 64 * MB, max_lines: 1_000_000 }

/**
 * Reads the differences between two commits in files with one of these old (`old`) or new (`fresh`) paths. Renames are
 * detected among all files, but only the lines of these files are read.
 */
async function readFiles(
  repo: Repo,
  { from, to }: { from: string | null; to: string },
  paths: { readonly old?: ReadonlySet<string>; readonly fresh?: ReadonlySet<string> },
): Promise<Files> {
  if (from === to) return new Files([])
  const changes = (await listChanges(repo, { from, to })).filter(
    (one) => paths.old?.has(one.old_path) || paths.fresh?.has(one.new_path),
  )
  if (changes.length === 0) return new Files([])
  const both = [...new Set(changes.flatMap((one) => [one.old_path, one.new_path]))]
  const { files } = await readDiff(repo, { from, to }, { ...LIMITS, paths: both })
  const known = new Map(files.map((file) => [`${file.old_path}\0${file.new_path}`, file]))
  return new Files(
    changes.map(({ old_path, new_path, status }) => {
      const file = known.get(`${old_path}\0${new_path}`)
      const isKnown = file && !file.binary && !file.too_large && !file.collapsed
      const [new_file, deleted_file] = [status === 'added', status === 'deleted']
      return { old_path, new_path, new_file, deleted_file, diff: isKnown ? file.diff : null }
    }),
  )
}

/** Returns the commits of a version by the names that positions use. */
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
 * Translates positions in one version to another one, in their order. Undefined for outdated ones. Asks git three times
 * for any number of positions.
 */
export async function followPositions(
  repo: Repo,
  from: VersionRefs,
  to: VersionRefs,
  positions: readonly Position[],
): Promise<(Position | undefined)[]> {
  if (positions.length === 0) return []
  const oldPaths = new Set(positions.map((one) => one.old_path))
  const newPaths = new Set(positions.map((one) => one.new_path))
  const [ac, bd] = await Promise.all([
    readFiles(repo, { from: from.base_sha, to: to.base_sha }, { old: oldPaths }),
    readFiles(repo, { from: from.head_sha, to: to.head_sha }, { old: newPaths }),
  ])
  const cd = await readFiles(
    repo,
    { from: to.base_sha, to: to.head_sha },
    {
      old: new Set([...oldPaths].map((path) => ac.from(path).new_path)),
      fresh: new Set([...newPaths].map((path) => bd.from(path).new_path)),
    },
  )
  return positions.map((position) => tracePosition(position, to, { ac, bd, cd }))
}

/**
 * Moves the threads of the previous version to their lines in the new version. A thread on a changed line stays where
 * it is and is outdated; it is resolved if the project says so.
 */
export async function movePositions(
  ctx: Ctx,
  event: { merge_request_id: number; diff_id: number; actor_id: number | null },
): Promise<void> {
  const request = requests.byId(ctx.db, event.merge_request_id)
  const project = request && projectById(ctx.db, request.project_id)
  if (!project) return
  const versions = diffsOf(ctx.db, request)
  const at = versions.findIndex((one) => one.id === event.diff_id)
  const [fresh, before] = [versions[at], versions[at + 1]]
  if (at < 0 || !fresh || !before) return
  const threads = diffThreadsOf(ctx.db, mergeRequestNoteable(request)).filter((one) =>
    isIn(one.position, refsOf(before)),
  )
  if (threads.length === 0) return
  const found = await inRepository(ctx, project, (repo) =>
    followPositions(
      repo,
      refsOf(before),
      refsOf(fresh),
      threads.map((one) => one.position),
    ),
  )
  const acting = actingAs(ctx, event.actor_id ?? request.author_id)
  const number = versions.length - at
  tx(ctx.db, () => {
    const moves = threads.flatMap((thread, index) => {
      const position = found[index]
      return position ? [{ thread, position }] : []
    })
    moveThreads(ctx, moves)
    for (const [index, thread] of threads.entries())
      if (!found[index]) outdate(acting, { project, request, thread, number })
  })
}

function outdate(
  ctx: Ctx,
  given: {
    project: Project
    request: MergeRequestRow
    thread: DiffThread
    number: number
  },
): void {
  const { project, request, thread, number } = given
  outdateThread(ctx, mergeRequestNoteable(request), thread, {
    body: `changed this line in version ${number} of the diff`,
    author_id: ctx.actor.id ?? request.author_id,
    resolve: project.resolve_outdated_diff_discussions,
  })
}
