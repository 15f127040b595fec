import { sql } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { announce } from './add.ts'
import * as store from './store.ts'
import { issuableSubject } from './subject.ts'
import type { TodoSubject } from './todo.ts'

/** A user has dealt with something: their pending items about it are done (7.2). To be called in a transaction. */
export function finishFor(ctx: Ctx, subject: TodoSubject, userId: number): void {
  const theirs = sql<boolean>`${store.about(subject)} AND user_id = ${userId}`
  announce(ctx, store.finishWhere(ctx.db, theirs, ctx.now))
}

/** Somebody's request for access was answered: it waits for nobody any more. */
export function finishRequests(ctx: Ctx, subject: TodoSubject, requesterId: number): void {
  const asked = sql<boolean>`target_type = ${subject.target_type} AND target_id = ${subject.target_id}
    AND action = 'member_access_requested' AND author_id = ${requesterId}`
  announce(ctx, store.finishWhere(ctx.db, asked, ctx.now))
}

/** The same by what events say; users who are nobody, and things that have no items, are passed over. */
export function hasDealtWith(ctx: Ctx, type: string, id: number, userId: number | null): void {
  const isKnown = type === 'Issue' || type === 'MergeRequest'
  const subject = isKnown && userId !== null ? issuableSubject(ctx, type, id) : undefined
  if (subject) tx(ctx.db, () => finishFor(ctx, subject, userId!))
}
