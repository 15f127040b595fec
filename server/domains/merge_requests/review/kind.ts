import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { noteTarget, type Noteable, type NoteableKind } from '../../discussions/index.ts'
import { project as scope } from '../../projects/index.ts'
import { commandParams, iidParam } from '../params.ts'
import { abilities } from '../policy.ts'
import { runRequestCommands } from '../service-commands.ts'
import { mergeRequestNoteable } from '../service-notes.ts'
import { findMergeRequest } from '../service.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { publishAll } from './drafts/service.ts'
import { suggestionsIn } from './suggestions/offer.ts'
import { checkCommitOf, positionInNewest, positionInRequest } from './target.ts'

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
  resolvePosition: (ctx, project, noteable, given, commitId) =>
    positionInRequest(ctx, project, rowOf(ctx, noteable), given, commitId),
  currentPosition: (ctx, project, noteable, position) =>
    positionInNewest(ctx, project, rowOf(ctx, noteable), position),
  checkCommit: (ctx, _project, noteable, commit) => checkCommitOf(ctx, rowOf(ctx, noteable), commit),
  checkWrite(ctx, project, noteable) {
    const isLocked = rowOf(ctx, noteable).discussion_locked === true
    if (isLocked && !isAble(ctx, scope, abilities.comment_locked_merge_request, project, true))
      throw fail('forbidden')
  },
  mayResolve(ctx, project, noteable) {
    const isAuthor = ctx.actor.kind === 'user' && ctx.actor.id === rowOf(ctx, noteable).author_id
    return isAuthor || isAble(ctx, scope, abilities.update_merge_request, project, true)
  },
  async commands(ctx, project, noteable, commands, given) {
    const others = commands.filter((one) => one.name !== 'submit_review')
    const outcome = await runRequestCommands(ctx, project, noteable.id!, others, {
      sha: given['merge_request_diff_head_sha'] as string | undefined,
    })
    if (others.length === commands.length) return outcome
    await publishAll(ctx, { kind: mergeRequestKind, project, target: noteTarget(ctx, project, noteable) })
    return { ...outcome, summary: [...outcome.summary, 'Submitted the current review.'] }
  },
  suggest: (ctx, project, _noteable, body, position) => suggestionsIn(ctx, project, body, position),
}
