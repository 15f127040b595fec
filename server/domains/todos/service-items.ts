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
import { inNameOf, mayRead as mayReadIssuable } from '../planning/index.ts'
import { REPORTER } from '../../policy/levels.ts'
import { seesAll } from '../../policy/actor.ts'
import { isAble } from '../../policy/ability.ts'
import * as subjects from './store-subjects.ts'
import * as store from './store.ts'
import { REPEATABLE, type TodoAction, type TodoRow, type TodoSubject } from './types.ts'
import { tx } from '../../db/database.ts'

/** The to-do items of a user changed. */
const TodosChanged = event('todos.changed', { user_id: z.number() })

/** An item to create for some users. */
export interface NewTodos {
  readonly action: TodoAction
  readonly subject: TodoSubject
  /** The user who caused it. */
  readonly author_id: number
  readonly note_id?: number | null
}

/**
 * Creates items. Call it in a transaction. A user with a pending item about the same subject gets no second one, except
 * for repeatable actions. A repeated job changes nothing (7.2).
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
  const wanted = [...new Set(userIds)]
  const repeats = (REPEATABLE as readonly string[]).includes(input.action)
  const has = repeats ? store.alreadyReminded(db, row, wanted) : store.waiting(db, subject, wanted)
  const created = wanted.filter((id) => !has.has(id)).map((user_id) => store.insert(db, { ...row, user_id }))
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

/** The subjects in a project: an issue, a merge request or a commit. */
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

/** The columns of an item that name its subject. */
export function columnsOf(subject: TodoSubject): TodoSubject {
  const { target_type, target_id, commit_id, project_id, group_id } = subject
  return { target_type, target_id, commit_id, project_id, group_id }
}

/** Whether a user may read the subject; with `internal`, also whether they may read its internal notes. */
export function mayRead(ctx: Ctx, subject: Subject, userId: number, internal = false): boolean {
  const userCtx = inNameOf(ctx, userId)
  if (!userCtx || !readsSubject(userCtx, subject)) return false
  return !internal || seesAll(userCtx.actor) || scope.roleOf(userCtx, subject.project) >= REPORTER
}

function readsSubject(userCtx: Ctx, subject: Subject): boolean {
  const { project, target_type: type, target_id: id, author_id, confidential } = subject
  if (type !== 'Issue' && type !== 'MergeRequest') return isAble(userCtx, scope, abilities.read_code, project)
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
 * Marks the pending items of a user about an issue or merge request as done. The IDs come from an event. Other types
 * and a missing user are ignored.
 */
export function finishIssuable(ctx: Ctx, type: string, id: number, userId: number | null): void {
  const isKnown = type === 'Issue' || type === 'MergeRequest'
  const subject = isKnown && userId !== null ? issuableSubject(ctx, type, id) : undefined
  if (subject) tx(ctx.db, () => finishFor(ctx, subject, userId!))
}

/** Deletes items about subjects that their user may not see any more (7.2). Uses a short transaction for each user. */
export function removeUnseen(ctx: Ctx, userIds: readonly number[]): void {
  for (const id of userIds) {
    const userCtx = inNameOf(ctx, id)
    if (userCtx) tx(ctx.db, () => publishChanges(ctx, store.removeUnseen(ctx.db, userCtx, id)))
  }
}
