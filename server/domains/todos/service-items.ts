import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { event } from '../../events/event.ts'
import { publish } from '../../events/publish.ts'
import {
  projectById,
  project as scope,
  type Project,
  projectAbilities as abilities,
} from '../projects/index.ts'
import { onBehalfOf, mayRead as mayReadIssuable } from '../planning/index.ts'
import { REPORTER } from '../../policy/levels.ts'
import { seesAll } from '../../policy/actor.ts'
import { hasAbility } from '../../policy/ability.ts'
import * as subjects from './store-subjects.ts'
import * as store from './store.ts'
import { REPEATABLE, type TodoAction, type TodoRow, type TodoSubject } from './types.ts'
import { tx } from '../../db/database.ts'
import { cron, enqueue, job, type CronLine, type Job } from '../../jobs/job.ts'
import { usersWithTodos } from './store.ts'

/** The to-do items of a user changed. */
const TodosChanged = event('todos.changed', { user_id: z.number() })

/** A new item for one or several users. */
export interface NewTodos {
  readonly action: TodoAction
  readonly subject: TodoSubject
  /** The user who caused the item. */
  readonly author_id: number
  readonly note_id?: number | null
}

/**
 * Creates items. A user with a pending item about the same subject gets no second item, except for repeatable actions.
 * When a job runs again, it creates no second item (7.2). Call it in a transaction.
 */
export function addTodos(ctx: Ctx, input: NewTodos, userIds: readonly number[]): TodoRow[] {
  const { db, happenedAt: now = ctx.now } = ctx
  const subject = columnsOf(input.subject)
  const row = {
    ...subject,
    action: input.action,
    author_id: input.author_id,
    note_id: input.note_id ?? null,
    state: 'pending',
    created_at: now,
    updated_at: now,
  } as const
  const recipients = [...new Set(userIds)]
  const isRepeatable = (REPEATABLE as readonly string[]).includes(input.action)
  const withItem = isRepeatable
    ? store.alreadyReminded(db, row, recipients)
    : store.usersWithPendingItem(db, subject, recipients)
  const created = recipients
    .filter((id) => !withItem.has(id))
    .map((user_id) => store.insert(db, { ...row, user_id }))
  publishChanges(
    ctx,
    created.map((todo) => todo.user_id),
  )
  return created
}

/** Publishes that the items of these users changed. */
export function publishChanges(ctx: Ctx, userIds: readonly number[]): void {
  for (const user_id of new Set(userIds)) publish(ctx, TodosChanged, { user_id })
}

/** A subject in a project: an issue, a merge request or a commit. */
export interface Subject extends TodoSubject {
  readonly project: Project
  readonly title: string
  readonly description: string | null
  readonly author_id: number | null
  readonly confidential: boolean
}

/** Returns an issue or merge request as the subject of items. Undefined if it was deleted. */
export function issuableSubject(ctx: Ctx, type: 'Issue' | 'MergeRequest', id: number): Subject | undefined {
  const row = subjects.issuableById(ctx.db, type, id)
  const project = row && projectById(ctx.db, row.project_id)
  if (!project) return undefined
  return {
    target_type: type,
    target_id: id,
    commit_id: null,
    project_id: project.id,
    group_id: null,
    project,
    title: row.title,
    description: row.description,
    author_id: row.author_id,
    confidential: row.confidential ?? false,
  }
}

/** Returns a commit of a project as the subject of items. */
export function commitSubject(ctx: Ctx, projectId: number, sha: string): Subject | undefined {
  const project = projectById(ctx.db, projectId)
  if (!project) return undefined
  return {
    target_type: 'Commit',
    target_id: null,
    commit_id: sha,
    project_id: project.id,
    group_id: null,
    project,
    title: '',
    description: null,
    author_id: null,
    confidential: false,
  }
}

/** Returns the columns of an item that refer to its subject. */
export function columnsOf(subject: TodoSubject): TodoSubject {
  const { target_type, target_id, commit_id, project_id, group_id } = subject
  return { target_type, target_id, commit_id, project_id, group_id }
}

/** Whether a user may read the subject; with `internal`, also whether they may read its internal notes. */
export function mayRead(ctx: Ctx, subject: Subject, userId: number, internal = false): boolean {
  const userCtx = onBehalfOf(ctx, userId)
  if (!userCtx || !mayReadSubject(userCtx, subject)) return false
  return !internal || seesAll(userCtx.actor) || scope.roleOf(userCtx, subject.project) >= REPORTER
}

function mayReadSubject(userCtx: Ctx, subject: Subject): boolean {
  const { project, target_type: type, target_id: id, author_id, confidential } = subject
  if (type !== 'Issue' && type !== 'MergeRequest')
    return hasAbility(userCtx, scope, abilities.read_code, project)
  const target = { kind: type, id: id!, author_id: author_id!, confidential } as const
  return mayReadIssuable(userCtx, project, target)
}

/** Marks the pending items of a user about a subject as done (7.2). Call it in a transaction. */
export function finishFor(ctx: Ctx, subject: TodoSubject, userId: number): void {
  publishChanges(ctx, store.finishOfUser(ctx.db, subject, userId, ctx.now))
}

/** Marks all items about a user's request for access as done. */
export function finishRequests(ctx: Ctx, subject: TodoSubject, requesterId: number): void {
  publishChanges(ctx, store.finishAccessRequest(ctx.db, subject, requesterId, ctx.now))
}

/**
 * Marks the pending items of a user about an issue or merge request as done. The IDs come from an event. Ignores other
 * types and a missing user.
 */
export function finishIssuable(ctx: Ctx, type: string, id: number, userId: number | null): void {
  const isKnown = type === 'Issue' || type === 'MergeRequest'
  const subject = isKnown && userId !== null ? issuableSubject(ctx, type, id) : undefined
  if (subject) tx(ctx.db, () => finishFor(ctx, subject, userId!))
}

/** Deletes items about subjects that their user may no longer see (7.2). Runs a short transaction for each user. */
export function removeUnseen(ctx: Ctx, userIds: readonly number[]): void {
  for (const id of userIds) {
    const userCtx = onBehalfOf(ctx, id)
    if (userCtx) tx(ctx.db, () => publishChanges(ctx, store.removeUnseen(ctx.db, userCtx, id)))
  }
}

/** The delay of the check after a user lost access, milliseconds. Many such changes are reverted soon (7.2). */
const CHECK_DELAY_MS = 60 * 60 * 1000

const removeOfUser = job('todos.remove_unseen_of_user', { args: { user_id: z.number() } }, (ctx, args) =>
  removeUnseen(ctx, [args.user_id]),
)

const removeOfProject = job(
  'todos.remove_unseen_of_project',
  { args: { project_id: z.number() } },
  (ctx, { project_id }) => removeUnseen(ctx, usersWithTodos(ctx.db, project_id)),
)

/** Enqueues a check, in an hour, of whether a user, or the users with items in a project, may still see the subjects. */
export function removeLater(ctx: Ctx, target: { user_id: number } | { project_id: number }): void {
  const [kind, id] =
    'user_id' in target ? [removeOfUser, target.user_id] : [removeOfProject, target.project_id]
  enqueue(ctx, kind as Job, target, { once: `${kind.name}:${id}`, delay: CHECK_DELAY_MS })
}

export const jobs: Job[] = [removeOfUser as Job, removeOfProject as Job]

/** A daily check finds users who lost access without an event, such as by the end of a share with their group. */
export const crons: CronLine[] = [
  cron('todos.remove_unseen', '41 3 * * *', (ctx) => removeUnseen(ctx, usersWithTodos(ctx.db))),
]
