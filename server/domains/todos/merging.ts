import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { requestsOfPipeline } from '../merge_requests/index.ts'
import { addTodos } from './add.ts'
import { hasDealtWith } from './done.ts'
import { addFor } from './reactions.ts'
import { issuableSubject, mayRead } from './subject.ts'
import type { TodoAction } from './todo.ts'

interface Request {
  readonly id: number
  readonly author_id: number
  readonly merge_user_id: number | null
  readonly merge_when_pipeline_succeeds: boolean
}

const COLUMNS = 'id, author_id, merge_user_id, merge_when_pipeline_succeeds'

/** Its author, and who armed the merge that waits. */
function peopleOf(request: Request): number[] {
  const armed = request.merge_when_pipeline_succeeds ? request.merge_user_id : null
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

/** A pipeline, as its events name it. */
interface OfPipeline {
  readonly pipeline_id: number
  readonly project_id: number
  readonly sha: string
}

/** The pipeline of a head failed: the author of the merge request hears of it, and who armed its merge (7.2). */
export function tellBuildFailed(ctx: Ctx, failed: OfPipeline): void {
  for (const request of requestsOfPipeline(ctx, failed)) {
    tell(ctx, request.id, 'build_failed', peopleOf(request))
  }
}

/** What failed runs again: those who were told have dealt with it. */
export function endBuildFailed(ctx: Ctx, retried: OfPipeline): void {
  for (const request of requestsOfPipeline(ctx, retried)) {
    for (const id of peopleOf(request)) hasDealtWith(ctx, 'MergeRequest', request.id, id)
  }
}

/** A merge request whose merge is armed has come into conflict with its target. */
export function tellUnmergeable(ctx: Ctx, requestId: number): void {
  const request = ctx.db.one<Request>(`SELECT ${COLUMNS} FROM merge_requests WHERE id = ?`, requestId)
  if (request?.merge_when_pipeline_succeeds === true) tell(ctx, requestId, 'unmergeable', peopleOf(request))
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
