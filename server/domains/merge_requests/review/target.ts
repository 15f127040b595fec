import type { Ctx } from '../../../ctx.ts'
import { firstParent } from '../../../git/read/revisions.ts'
import { notFound, fail } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import {
  badLineCode,
  checkPosition,
  type DiffRefs,
  type PositionInput,
  type Position,
  noteTarget,
  type Noteable,
  type NoteableKind,
} from '../../discussions/index.ts'
import { inRepository, type Project, project as scope } from '../../projects/index.ts'
import { commitIdsOf, diffsOf, latestDiff, type DiffVersionRow } from '../diffs/store.ts'
import { commandParams, iidParam } from '../params.ts'
import { checkMayReadCode, abilities } from '../policy.ts'
import { runRequestCommands } from '../service-commands.ts'
import { mergeRequestNoteable } from '../service-notes.ts'
import { findMergeRequest } from '../service.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { publishAll } from './drafts/service.ts'
import { followPositions, isIn, refsOf, type VersionRefs } from './positions/follow.ts'
import { suggestionsIn } from './suggestions/offer.ts'

const rowOf = (ctx: Ctx, noteable: Noteable): MergeRequestRow => store.byId(ctx.db, noteable.id!)!

/** Merge requests as noteables: with positions in diffs and resolvable threads (spec core 5.5). */
export const mergeRequestKind: NoteableKind = {
  path: '/merge_requests/:merge_request_iid',
  title: 'merge request',
  params: iidParam,
  read: abilities.read_merge_request,
  write: abilities.comment_merge_request,
  load: (ctx, project, params) =>
    mergeRequestNoteable(findMergeRequest(ctx, project, Number(params['merge_request_iid']))),
  singleNotesCanBeAnswered: true,
  threadsResolve: true,
  notesCanBeInternal: true,
  commandParams,
  resolvePosition: (ctx, project, noteable, position, commitId) =>
    positionInRequest(ctx, project, rowOf(ctx, noteable), position, commitId),
  currentPosition: (ctx, project, noteable, position) =>
    positionInNewest(ctx, project, rowOf(ctx, noteable), position),
  checkCommit: (ctx, _project, noteable, commit) => checkCommitOf(ctx, rowOf(ctx, noteable), commit),
  checkWrite(ctx, project, noteable) {
    const isLocked = rowOf(ctx, noteable).discussion_locked === true
    if (isLocked && !hasAbility(ctx, scope, abilities.comment_locked_merge_request, project, true))
      throw fail('forbidden')
  },
  mayResolve(ctx, project, noteable) {
    const isAuthor = ctx.actor.kind === 'user' && ctx.actor.id === rowOf(ctx, noteable).author_id
    return isAuthor || hasAbility(ctx, scope, abilities.update_merge_request, project, true)
  },
  async commands(ctx, project, noteable, commands, params) {
    const requestCommands = commands.filter((command) => command.name !== 'submit_review')
    const outcome = await runRequestCommands(ctx, project, noteable.id!, requestCommands, {
      sha: params['merge_request_diff_head_sha'] as string | undefined,
    })
    if (requestCommands.length === commands.length) return outcome
    await publishAll(ctx, { kind: mergeRequestKind, project, target: noteTarget(ctx, project, noteable) })
    return { ...outcome, summary: [...outcome.summary, 'Submitted the current review.'] }
  },
  suggest: (ctx, project, _noteable, body, position) => suggestionsIn(ctx, project, body, position),
}

/**
 * Checks and completes a position in a diff of a merge request: of a version, between two versions, or of a commit.
 * Throws 400, with the contract's sentences, for other commits, and for files and lines that the diff does not have.
 * Throws 403 if the actor may not read the code.
 */
async function positionInRequest(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  position: PositionInput,
  commitId?: string,
): Promise<Position> {
  // Suggestions show the lines of the file.
  checkMayReadCode(ctx, project)
  return inRepository(ctx, project, async (repo) => {
    const parentOf = (commit: string) => firstParent(repo, commit)
    const refs = await diffFor(ctx, request, { position, commitId, parentOf })
    if (!refs) throw badLineCode()
    return checkPosition(repo, refs, position)
  })
}

interface RequestedPosition {
  readonly position: PositionInput
  readonly commitId: string | undefined
  parentOf(commit: string): Promise<string | null>
}

/** Returns the refs of the diff that a position is in. Undefined if no diff of the merge request has these refs. */
async function diffFor(
  ctx: Ctx,
  request: MergeRequestRow,
  { position, commitId, parentOf }: RequestedPosition,
): Promise<DiffRefs | undefined> {
  const versions = diffsOf(ctx.db, request)
  const version =
    commitId === undefined ? versions.find((candidate) => isInDiff(position, refsOf(candidate))) : undefined
  if (version) return toDiffRefs(refsOf(version))
  if (commitId === undefined && isBetween(position, versions)) return toDiffRefs(position)

  const { head_sha: head } = position
  if (!isCommitOf(ctx, request, head) || (commitId ?? head) !== head) return undefined
  const parent = await parentOf(head)
  const isCommitDiff = position.base_sha === parent && position.start_sha === parent
  return isCommitDiff ? { base: parent, start: parent, head } : undefined
}

const isInDiff = (position: PositionInput, refs: VersionRefs): boolean => isIn(position as Position, refs)

const toDiffRefs = ({ base_sha, start_sha, head_sha }: VersionRefs): DiffRefs => ({
  base: base_sha,
  start: start_sha,
  head: head_sha,
})

/** Whether the position is in the diff between the heads of two versions. */
function isBetween(refs: VersionRefs, versions: readonly DiffVersionRow[]): boolean {
  const heads = versions.map((version) => version.head_commit_sha)
  return refs.base_sha === refs.start_sha && heads.includes(refs.start_sha) && heads.includes(refs.head_sha)
}

/** Whether a commit is part of the newest version. */
export function isCommitOf(ctx: Ctx, request: MergeRequestRow, commit: string): boolean {
  const version = latestDiff(ctx.db, request)
  return version !== undefined && commitIdsOf(ctx.db, version.id).includes(commit)
}

/** Throws `404 Commit Not Found` unless the merge request has the commit. */
function checkCommitOf(ctx: Ctx, request: MergeRequestRow, commit: string): void {
  if (!isCommitOf(ctx, request, commit)) throw notFound('Commit')
}

/**
 * Translates a position in an older version to the newest one. Returns the position unchanged when the newest version
 * does not have its line, or when it is in the diff of a commit or between versions.
 */
export async function positionInNewest(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  position: Position,
): Promise<Position> {
  const newest = latestDiff(ctx.db, request)
  if (!newest || isIn(position, refsOf(newest))) return position
  const version = diffsOf(ctx.db, request).find((diff) => isIn(position, refsOf(diff)))
  if (!version) return position
  const [translated] = await inRepository(ctx, project, (repo) =>
    followPositions(repo, refsOf(version), refsOf(newest), [position]),
  )
  return translated ?? position
}
