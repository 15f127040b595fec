import type { Ctx } from '../../../ctx.ts'
import { UniqueViolation } from '../../../db/constraints.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { guarded, userByPassword } from '../../auth/index.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { MergeRequestApproved, MergeRequestUnapproved } from '../events.ts'
import { eventOf } from '../service-events.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { mergeRequestNoteable } from '../noteable.ts'
import { byId } from '../store.ts'
import { canApprove } from './policy.ts'
import { refreshApprovals } from './refresh.ts'
import { settingsOf } from './settings/store.ts'
import { approvalState, excludedFrom, isApproved } from './state.ts'
import * as store from './store.ts'

/** What comes with an approval. */
export interface GivenApproval {
  /** The head that was looked at. */
  readonly sha?: string | undefined
  readonly approval_password?: string | undefined
  /** Address that guesses at the password are counted for. */
  readonly ip: string
}

/**
 * Approves in the name of the actor. Throws 409 when `sha` is not the head any more, 401 for whoever may not, has approved
 * already, or shows a wrong password where one is asked for (spec core 5.6).
 */
export async function approve(
  ctx: Ctx,
  request: MergeRequestRow,
  project: Project,
  given: GivenApproval,
): Promise<void> {
  checkHead(request, given.sha)
  await refreshApprovals(ctx, request, project)
  checkMayApprove(ctx, request, project)
  await checkPassword(ctx, project, given)
  try {
    tx(ctx.db, () => {
      // The password took its time; what was looked at may be another version by now.
      const current = byId(ctx.db, request.id)
      if (!current) throw notFound()
      checkHead(current, given.sha ?? request.head_sha ?? undefined)
      checkMayApprove(ctx, current, project)
      const userId = ctx.actor.id!
      // One that fell with a push and is not cleared away yet is given anew.
      store.withdraw(ctx.db, request.id, [userId])
      store.approve(ctx.db, current, userId, ctx.now)
      store.setReviewed(ctx.db, request.id, userId, 'reviewed')
      note(ctx, current, 'approved')
      publish(ctx, MergeRequestApproved, {
        ...eventOf(ctx, current),
        user_id: userId,
        is_approved: isApproved(ctx, current, project),
      })
    })
  } catch (error) {
    throw error instanceof UniqueViolation ? fail('unauthorized') : error
  }
}

function checkHead(request: MergeRequestRow, sha: string | undefined): void {
  if (!sha || sha === request.head_sha) return
  throw fail('conflict', `SHA does not match HEAD of source branch: ${request.head_sha ?? ''}`)
}

function checkMayApprove(ctx: Ctx, request: MergeRequestRow, project: Project): void {
  if (!mayApprove(ctx, request, project)) throw fail('unauthorized')
}

/** Whether the actor may approve this merge request now, by what the database knows. */
export function mayApprove(ctx: Ctx, request: MergeRequestRow, project: Project): boolean {
  const state = approvalState(ctx, request, project)
  const excluded = excludedFrom(ctx, { request, settings: settingsOf(ctx.db, project.id) })
  return canApprove(ctx, { request, project }, state, excluded)
}

async function checkPassword(
  ctx: Ctx,
  project: Project,
  { approval_password, ip }: GivenApproval,
): Promise<void> {
  if (!settingsOf(ctx.db, project.id).require_password_to_approve) return
  const user = userById(ctx.db, ctx.actor.id!)!
  if (!approval_password) throw fail('unauthorized')
  await guarded(ctx, ip, async () => {
    const found = await userByPassword(ctx, { login: user.username, password: approval_password, ip })
    if (found?.id !== user.id) throw fail('unauthorized')
  })
}

/** Takes the actor's approval back. Throws 404 where there is none, or the merge request is merged. */
export function unapprove(ctx: Ctx, request: MergeRequestRow): void {
  tx(ctx.db, () => {
    const current = byId(ctx.db, request.id)
    const userId = ctx.actor.id!
    if (!current || current.state === 'merged') throw notFound()
    const was_approved = isComplete(ctx, current)
    if (store.withdraw(ctx.db, request.id, [userId]) === 0) throw notFound()
    store.setReviewed(ctx.db, request.id, userId, 'unreviewed')
    note(ctx, current, 'unapproved')
    publish(ctx, MergeRequestUnapproved, { ...eventOf(ctx, current), user_id: userId, was_approved })
  })
}

function isComplete(ctx: Ctx, request: MergeRequestRow): boolean {
  const project = projectById(ctx.db, request.project_id)
  return project !== undefined && isApproved(ctx, request, project)
}

function note(ctx: Ctx, request: MergeRequestRow, action: 'approved' | 'unapproved'): void {
  writeSystemNote(ctx, mergeRequestNoteable(request), { action, body: `${action} this merge request` })
}
