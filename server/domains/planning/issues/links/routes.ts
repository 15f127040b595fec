import { z } from 'zod'

import { endpoint } from '../../../../http/endpoint.ts'
import { entity, time } from '../../../../http/entity.ts'
import { choice, int, text } from '../../../../http/params.ts'
import { created, ok, page } from '../../../../http/returns.ts'
import type { Ctx } from '../../../../ctx.ts'
import { canRead, hasAbility } from '../../../../policy/ability.ts'
import { Failure, notFound } from '../../../../lib/fail.ts'
import { findProject, fullPath, project, type Project } from '../../../projects/index.ts'
import { Issue, issueFields, issueJson } from '../entity.ts'
import { type IssueRow, findIssue, checkMayUpdate } from '../issue.ts'
import { abilities } from '../policy.ts'
import * as issues from '../store.ts'
import { showIssues, type IssueView } from '../view.ts'
import { linkedIssuesOf, linkIssues, findLink, typeFrom, unlinkIssues } from './service.ts'
import type { LinkRow } from './store.ts'
import { iidParam } from '../params.ts'

const type = z.enum(['relates_to', 'blocks', 'is_blocked_by'])

/** A linked issue, with the link. */
interface LinkedIssueView {
  readonly view: IssueView
  readonly link: { readonly id: number; readonly created_at: string; readonly updated_at: string }
  readonly type: 'relates_to' | 'blocks' | 'is_blocked_by'
}

/** A linked issue in the list of another one (spec core 6.3). */
const LinkedIssue = entity(
  'LinkedIssue',
  {
    ...issueFields,
    issue_link_id: z.int(),
    link_type: type,
    link_created_at: time(),
    link_updated_at: time(),
  },
  ({ view, link, type: linkType }: LinkedIssueView, at) => ({
    ...issueJson(view, at),
    issue_link_id: link.id,
    link_type: linkType,
    link_created_at: link.created_at,
    link_updated_at: link.updated_at,
  }),
)

/** The two issues of a link. */
interface IssueLinkView {
  readonly source: IssueView
  readonly target: IssueView
  readonly type: 'relates_to' | 'blocks' | 'is_blocked_by'
}

/** A link between two issues (spec core 6.3). */
const IssueLink = entity(
  'IssueLink',
  { source_issue: Issue.schema, target_issue: Issue.schema, link_type: type },
  ({ source, target, type: linkType }: IssueLinkView, at) => ({
    source_issue: issueJson(source, at),
    target_issue: issueJson(target, at),
    link_type: linkType,
  }),
)

const path = '/projects/:id/issues/:issue_iid/links' as const
const linkParam = { issue_link_id: int().describe('The ID of the link') }

/** Loads the view of a link, with `issue` as its source. */
function linkView(ctx: Ctx, owner: Project, issue: IssueRow, link: LinkRow) {
  const other = issues.byId(ctx.db, link.source_id === issue.id ? link.target_id : link.source_id)!
  const [source, target] = showIssues(ctx, [issue, other], { relative_to: fullPath(owner) })
  return { source: source!, target: target!, type: typeFrom(link, issue.id) }
}

export const listLinks = endpoint(`GET ${path}`, {
  summary: 'List the links of an issue',
  scope: project,
  can: abilities.read_issue,
  params: iidParam,
  returns: page(LinkedIssue, { paging: 'none' }),
  run: ({ project: owner, params, ...ctx }) => {
    const linked = linkedIssuesOf(ctx, findIssue(ctx, owner, params.issue_iid))
    const views = showIssues(
      ctx,
      linked.map((link) => link.issue),
      { relative_to: fullPath(owner) },
    )
    return { rows: linked.map(({ link, type }, index) => ({ view: views[index]!, link, type })) }
  },
})

export const postLink = endpoint(`POST ${path}`, {
  summary: 'Create a link between two issues',
  scope: project,
  can: abilities.change_issue,
  params: {
    ...iidParam,
    target_project_id: text({ max: 1000 }).describe('The ID or path of the project of the other issue'),
    target_issue_iid: int({ min: 1 }).describe('The IID of the other issue'),
    link_type: choice('relates_to', 'blocks', 'is_blocked_by')
      .default('relates_to')
      .describe('The type of the link'),
  },
  fails: { 409: 'The two issues are already linked' },
  returns: created(IssueLink),
  run: ({ project: owner, params, ...ctx }) => {
    const issue = findIssue(ctx, owner, params.issue_iid)
    checkMayUpdate(ctx, owner, issue)
    const other = findProject(ctx, params.target_project_id)
    if (!other || !canRead(ctx, project, other)) throw notFound('Project')
    if (!hasAbility(ctx, project, abilities.read_issue, other))
      throw new Failure('not_found', '404 Not found')
    const target = findIssue(ctx, other, params.target_issue_iid)
    return linkView(ctx, owner, issue, linkIssues(ctx, issue, target, params.link_type))
  },
})

export const getLink = endpoint(`GET ${path}/:issue_link_id`, {
  summary: 'Get a link between two issues',
  scope: project,
  can: abilities.read_issue,
  params: { ...iidParam, ...linkParam },
  returns: ok(IssueLink),
  run: ({ project: owner, params, ...ctx }) => {
    const issue = findIssue(ctx, owner, params.issue_iid)
    return linkView(ctx, owner, issue, findLink(ctx, issue, params.issue_link_id))
  },
})

export const deleteLink = endpoint(`DELETE ${path}/:issue_link_id`, {
  summary: 'Delete a link between two issues',
  scope: project,
  can: abilities.change_issue,
  params: { ...iidParam, ...linkParam },
  returns: ok(IssueLink),
  run: ({ project: owner, params, ...ctx }) => {
    const issue = findIssue(ctx, owner, params.issue_iid)
    checkMayUpdate(ctx, owner, issue)
    const link = findLink(ctx, issue, params.issue_link_id)
    const before = linkView(ctx, owner, issue, link)
    unlinkIssues(ctx, link)
    return before
  },
})
