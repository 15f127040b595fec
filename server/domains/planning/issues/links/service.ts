import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { Failure, fail } from '../../../../lib/fail.ts'
import { mayRead } from '../../issuables/store-reading.ts'
import { noteChange } from '../../issuables/text-changes.ts'
import { references } from '../../issuables/issuable.ts'
import { fullPath, type Project } from '../../../projects/index.ts'
import { IssueUpdated } from '../../events.ts'
import { eventFields, asIssuable, type IssueRow, projectOf, mayUpdate } from '../issue.ts'
import * as issues from '../store.ts'
import * as store from './store.ts'
import type { LinkRow } from './store.ts'

/** The type of a link from one issue to another. */
export type LinkType = 'relates_to' | 'blocks' | 'is_blocked_by'

/** A linked issue with the link and its type. */
export interface LinkedIssue {
  readonly issue: IssueRow
  readonly link: LinkRow
  readonly type: LinkType
}

const NO_MATCH = '404 No matching issue found. Make sure that you are adding a valid issue URL. Not Found'

/** Returns the type of a link, seen from the issue with this ID. */
export function typeFrom(link: LinkRow, id: number): LinkType {
  return link.link_type === 'blocks' && link.source_id !== id ? 'is_blocked_by' : link.link_type
}

/** Lists the linked issues that the actor may see. */
export function linkedIssuesOf(ctx: Ctx, issue: IssueRow): LinkedIssue[] {
  return store.ofIssue(ctx.db, issue.id).flatMap((link) => {
    const other = otherIssueOf(ctx, link, issue.id)
    return other ? [{ issue: other, link, type: typeFrom(link, issue.id) }] : []
  })
}

function otherIssueOf(ctx: Ctx, link: LinkRow, id: number): IssueRow | undefined {
  const other = issues.byId(ctx.db, link.source_id === id ? link.target_id : link.source_id)
  return other && mayRead(ctx, projectOf(ctx, other), asIssuable(other)) ? other : undefined
}

/** Finds a link of an issue. Throws 404 if the actor may not see the other issue. */
export function findLink(ctx: Ctx, issue: IssueRow, id: number): LinkRow {
  const link = store.byId(ctx.db, id)
  const isOwn = link?.source_id === issue.id || link?.target_id === issue.id
  if (!link || !isOwn || !otherIssueOf(ctx, link, issue.id)) throw new Failure('not_found', '404 Not found')
  return link
}

/**
 * Links two issues. The caller checks that the actor may update the source. Throws 404 for a target that the actor may
 * not update or that is the source itself, 409 if the two are linked already.
 */
export function linkIssues(ctx: Ctx, source: IssueRow, target: IssueRow, type: LinkType): LinkRow {
  if (target.id === source.id || !mayUpdate(ctx, target)) throw new Failure('not_found', NO_MATCH)
  if (store.between(ctx.db, source.id, target.id)) throw fail('conflict', 'Issue(s) already assigned')
  const [from, to] = type === 'is_blocked_by' ? [target, source] : [source, target]
  return tx(ctx.db, () => {
    const link = store.insert(ctx.db, {
      source_id: from.id,
      target_id: to.id,
      link_type: type === 'relates_to' ? 'relates_to' : 'blocks',
      created_at: ctx.now,
      updated_at: ctx.now,
    })
    noteBoth(ctx, from, to, link.link_type)
    return link
  })
}

/** Deletes a link. */
export function unlinkIssues(ctx: Ctx, link: LinkRow): void {
  const [source, target] = [issues.byId(ctx.db, link.source_id)!, issues.byId(ctx.db, link.target_id)!]
  tx(ctx.db, () => {
    store.remove(ctx.db, link.id)
    note(ctx, source, target, 'removed the relation with')
    note(ctx, target, source, 'removed the relation with')
  })
}

function noteBoth(ctx: Ctx, from: IssueRow, to: IssueRow, type: store.StoredType): void {
  const [sourceWords, targetWords] =
    type === 'blocks'
      ? ['marked this issue as blocking', 'marked this issue as blocked by']
      : ['marked this issue as related to', 'marked this issue as related to']
  note(ctx, from, to, sourceWords!)
  note(ctx, to, from, targetWords!)
}

/**
 * Publishes the change of an issue and writes a system note. Writes none if some readers of the issue may not see the
 * other issue.
 */
function note(ctx: Ctx, issue: IssueRow, other: IssueRow, words: string): void {
  const [project, otherProject] = [projectOf(ctx, issue), projectOf(ctx, other)]
  publish(ctx, IssueUpdated, { ...eventFields(ctx, issue), changed: ['issue_links'], previous: {} })
  if (isHidden(project, otherProject, other)) return
  const { relative } = references('Issue', other.iid, fullPath(otherProject), fullPath(project))
  noteChange(ctx, asIssuable(issue), 'relate', `${words} ${relative}`)
}

/** Whether some readers of `project` may not see `other`, an issue of `otherProject`. */
export function isHidden(project: Project, otherProject: Project, other: IssueRow): boolean {
  if (other.confidential) return true
  return project.id !== otherProject.id && otherProject.visibility !== 'public'
}
