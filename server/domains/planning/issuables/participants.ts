import type { Ctx } from '../../../ctx.ts'
import { projectById } from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { inNameOf } from './acting.ts'
import { tablesOf, type Issuable } from './issuable.ts'
import { mentionedIn } from './mentions.ts'
import { mayRead } from './reading.ts'

/** Notes whose names are looked at; the newest count. */
const MAX_NOTES = 500

/**
 * Everybody who takes part: the author, assignees, reviewers, who wrote a note, and who is named and may read it; in the
 * order of their ids. Internal notes only count for `seesInternal`.
 */
export function participantsOf(ctx: Ctx, issuable: Issuable, seesInternal: boolean): UserBasicRow[] {
  const { kind, id } = issuable
  const { assignees, key } = tablesOf(kind)
  const reviewers =
    kind === 'MergeRequest'
      ? 'UNION SELECT user_id FROM merge_request_reviewers, me WHERE merge_request_id = me.id'
      : ''
  const rows = ctx.db.many<{ user_id: number }>(
    `WITH me (id, kind, internal) AS (SELECT ?, ?, ?)
     SELECT user_id FROM ${assignees}, me WHERE ${key} = me.id ${reviewers}
     UNION SELECT author_id FROM notes, me
       WHERE noteable_type = me.kind AND noteable_id = me.id AND system = 0 AND notes.internal <= me.internal`,
    id,
    kind,
    seesInternal ? 1 : 0,
  )
  const ids = new Set([issuable.author_id, ...rows.map((row) => row.user_id)])
  for (const one of namedIn(ctx, issuable, seesInternal)) ids.add(one)
  return [...usersById(ctx.db, [...ids]).values()].sort((a, b) => a.id - b.id)
}

function namedIn(ctx: Ctx, issuable: Issuable, seesInternal: boolean): number[] {
  const notes = ctx.db.many<{ note: string }>(
    `SELECT note FROM notes WHERE noteable_type = ? AND noteable_id = ? AND system = 0 AND internal <= ?
       AND instr(note, '@') > 0 ORDER BY id DESC LIMIT ${MAX_NOTES}`,
    issuable.kind,
    issuable.id,
    seesInternal ? 1 : 0,
  )
  const text = [issuable.description ?? '', ...notes.map((row) => row.note)].join('\n\n')
  const project = projectById(ctx.db, issuable.project_id)!
  return mentionedIn(ctx.db, text).flatMap(({ user_id }) => {
    const theirs = inNameOf(ctx, user_id)
    return theirs && mayRead(theirs, project, issuable) ? [user_id] : []
  })
}
