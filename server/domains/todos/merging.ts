import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { addTodos } from './add.ts'
import { addFor } from './reactions.ts'
import { issuableSubject, mayRead } from './subject.ts'
import type { TodoAction } from './todo.ts'

interface Request {
  readonly id: number
  readonly author_id: number
  readonly merge_user_id: number | null
  readonly merge_when_pipeline_succeeds: number
}

const COLUMNS = 'id, author_id, merge_user_id, merge_when_pipeline_succeeds'

/** Its author, and who armed the merge that waits. */
function peopleOf(request: Request): number[] {
  const armed = request.merge_when_pipeline_succeeds === 1 ? request.merge_user_id : null
  return [...new Set([request.author_id, armed ?? request.author_id])]
}

/** Items that tell users of their own merge request; nobody else caused them. */
function tell(ctx: Ctx, requestId: number, action: TodoAction, users: readonly number[]): void {
  const subject = issuableSubject(ctx, 'MergeRequest', requestId)
  if (!subject) return
  const readers = users.filter((id) => mayRead(ctx, subject, id))
  tx(ctx.db, () => {
    for (const id of readers) addTodos(ctx, { action, subject, author_id: id }, [id])
  })
}

/**
 * Something failed on a commit: the author of each open merge request with that head hears of it, and who armed its
 * merge (7.2). What may fail, or will be tried again, is not to be told here.
 */
export function tellBuildFailed(ctx: Ctx, failed: { project_id: number; sha: string }): void {
  const requests = ctx.db.many<Request>(
    `SELECT ${COLUMNS} FROM merge_requests
     WHERE head_sha = ? AND state = 'opened' AND ifnull(source_project_id, project_id) = ?`,
    failed.sha,
    failed.project_id,
  )
  for (const request of requests) tell(ctx, request.id, 'build_failed', peopleOf(request))
}

/** A merge request whose merge is armed has come into conflict with its target. */
export function tellUnmergeable(ctx: Ctx, requestId: number): void {
  const request = ctx.db.one<Request>(`SELECT ${COLUMNS} FROM merge_requests WHERE id = ?`, requestId)
  if (request?.merge_when_pipeline_succeeds === 1) tell(ctx, requestId, 'unmergeable', peopleOf(request))
}

/** A merge request was taken out of the queue of merges: its author and whoever put it there hear of it. */
export function tellRemovedFromTrain(ctx: Ctx, requestId: number): void {
  const request = ctx.db.one<Request>(`SELECT ${COLUMNS} FROM merge_requests WHERE id = ?`, requestId)
  if (request) tell(ctx, requestId, 'merge_train_removed', peopleOf(request))
}

/** People are asked to approve a merge request; its author is the one who asks. */
export function askForApproval(ctx: Ctx, requestId: number, users: readonly number[]): void {
  const subject = issuableSubject(ctx, 'MergeRequest', requestId)
  addFor(ctx, subject, 'approval_required', { author_id: subject?.author_id ?? null, users })
}
