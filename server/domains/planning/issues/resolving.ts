import type { Ctx } from '../../../ctx.ts'
import { isAble } from '../../../policy/ability.ts'
import { mayReadIn } from '../issuables/reading.ts'
import { references } from '../issuables/references.ts'
import { noteTarget, resolveDiscussion, writeSystemNote, type Noteable } from '../../discussions/index.ts'
import { fullPath, project as scope, type Project } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import type { IssueRow } from './issue.ts'
import { abilities } from './policy.ts'

/** Threads of a merge request that a new issue takes over: all open ones, or one. */
export interface GivenThreads {
  readonly merge_request_to_resolve_discussions_of?: number | undefined
  readonly discussion_to_resolve?: string | undefined
}

interface Thread {
  readonly discussion_id: string
  readonly note_id: number
  readonly author_id: number
  readonly note: string
}

/** What is taken over. */
export interface TakenThreads {
  readonly noteable: Noteable
  readonly threads: readonly Thread[]
}

const FIRST_NOTES = `SELECT n.discussion_id, n.id AS note_id, n.author_id, n.note FROM notes n WHERE n.id IN (
  SELECT min(o.id) FROM notes o WHERE o.noteable_type = 'MergeRequest' AND o.noteable_id = ? AND o.resolvable = 1
    AND o.resolved_at IS NULL GROUP BY o.discussion_id) ORDER BY n.id`

/** The open threads that are meant, where the actor may resolve those of others; undefined where there are none. */
export function threadsMeant(ctx: Ctx, project: Project, given: GivenThreads): TakenThreads | undefined {
  const iid = given.merge_request_to_resolve_discussions_of
  if (iid === undefined || !mayReadIn(ctx, project, 'MergeRequest')) return undefined
  const request = ctx.db.one<{ id: number; author_id: number }>(
    'SELECT id, author_id FROM merge_requests WHERE project_id = ? AND iid = ?',
    project.id,
    iid,
  )
  const isAuthor = request?.author_id === ctx.actor.id
  if (!request || !(isAuthor || isAble(ctx, scope, abilities.resolve_in_requests, project, true)))
    return undefined
  const noteable = { type: 'MergeRequest', project_id: project.id, id: request.id, sha: null, iid } as const
  const threads = ctx.db
    .many<Thread>(FIRST_NOTES, request.id)
    .filter((one) => (given.discussion_to_resolve ?? one.discussion_id) === one.discussion_id)
  return threads.length === 0 ? undefined : { noteable, threads }
}

/** What an issue without a description of its own says about the threads that it takes over. */
export function describeThreads(ctx: Ctx, project: Project, { noteable, threads }: TakenThreads): string {
  const authors = usersById(
    ctx.db,
    threads.map((one) => one.author_id),
  )
  const address = `${ctx.config.url}/${fullPath(project)}/-/merge_requests/${noteable.iid}`
  const noun = threads.length === 1 ? 'discussion' : 'discussions'
  const items = threads.map((one) => {
    const name = authors.get(one.author_id)!.username
    const quoted = one.note.replace(/^/gm, '    > ')
    return `- [ ] @${name} started a [discussion](${address}#note_${one.note_id}):\n\n${quoted}`
  })
  return [`The following ${noun} from !${noteable.iid} should be addressed:`, ...items].join('\n\n')
}

/** Resolves the threads that an issue takes over, and says where they go on. In the transaction that opens it. */
export function resolveThreads(ctx: Ctx, project: Project, taken: TakenThreads, issue: IssueRow): void {
  const target = noteTarget(ctx, project, taken.noteable)
  const { short } = references('Issue', issue.iid, fullPath(project))
  for (const { discussion_id } of taken.threads) resolveDiscussion(ctx, target, discussion_id, true)
  const what = taken.threads.length === 1 ? 'this discussion' : 'these discussions'
  // Who reads merge requests may not know of a confidential issue.
  writeSystemNote(ctx, taken.noteable, {
    action: 'discussion',
    body: `created ${short} to continue ${what}`,
    internal: issue.confidential,
  })
}
