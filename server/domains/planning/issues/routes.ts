import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { int } from '../../../http/params.ts'
import { created, noContent, ok } from '../../../http/returns.ts'
import { notFound } from '../../../lib/fail.ts'
import { fullPath, project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { createIssue } from './create.ts'
import { deleteIssue } from './delete.ts'
import { Issue } from './entity.ts'
import { findIssue, iidParam } from './find.ts'
import { createParams, somethingToChange, updateParams } from './params.ts'
import { abilities } from './policy.ts'
import { reorderIssue } from './reorder.ts'
import * as store from './store.ts'
import { editIssue } from './update.ts'
import { showIssue } from './view.ts'

export { sharedEndpoints } from './noteable.ts'

const INVALID = 'A value is not acceptable: `{"message": {"<field>": ["…"]}}`'
/** A description may be a million characters, each of several bytes. */
const MAX_BODY = 5 * 1024 * 1024

/** Issues that one user may open a minute (spec core 8.8). */
const CREATING = { max: 300, per: 60, maxOf: (ctx: Ctx) => settingsOf(ctx).issues_create_limit }

export const getIssue = endpoint('GET /issues/:id', {
  summary: 'Get an issue by its id',
  can: 'admin',
  params: { id: int({ min: 1 }).describe('Id of the issue') },
  returns: ok(Issue),
  run: ({ params, ...ctx }) => {
    const issue = store.byId(ctx.db, params.id)
    if (!issue) throw notFound('Issue')
    return showIssue(ctx, issue, undefined)
  },
})

export const getProjectIssue = endpoint('GET /projects/:id/issues/:issue_iid', {
  summary: 'Get an issue of a project',
  scope: project,
  can: abilities.read_issue,
  params: iidParam,
  pure: true,
  returns: ok(Issue),
  run: ({ project: owner, params, ...ctx }) =>
    showIssue(ctx, findIssue(ctx, owner, params.issue_iid), fullPath(owner)),
})

export const postIssue = endpoint('POST /projects/:id/issues', {
  summary: 'Open an issue',
  scope: project,
  can: abilities.create_issue,
  limit: CREATING,
  maxBody: MAX_BODY,
  params: createParams,
  fails: { 400: INVALID, 409: 'Duplicated issue' },
  returns: created(Issue),
  run: async ({ project: owner, params, ...ctx }) =>
    showIssue(ctx, await createIssue(ctx, owner, params), fullPath(owner)),
})

export const putIssue = endpoint('PUT /projects/:id/issues/:issue_iid', {
  summary: 'Change an issue',
  scope: project,
  can: abilities.change_issue,
  maxBody: MAX_BODY,
  params: { ...iidParam, ...updateParams },
  together: [somethingToChange],
  fails: { 400: INVALID },
  returns: ok(Issue),
  run: async ({ project: owner, params: { issue_iid, ...given }, ...ctx }) => {
    const issue = findIssue(ctx, owner, issue_iid)
    return showIssue(ctx, await editIssue(ctx, owner, issue, given), fullPath(owner))
  },
})

export const removeIssue = endpoint('DELETE /projects/:id/issues/:issue_iid', {
  summary: 'Delete an issue',
  scope: project,
  can: abilities.delete_issue,
  params: iidParam,
  returns: noContent,
  run: ({ project: owner, params, http, ...ctx }) => {
    const issue = store.byIid(ctx.db, owner.id, params.issue_iid)
    if (!issue) throw notFound('Issue')
    http.unmodifiedSince(issue.updated_at)
    deleteIssue(ctx, issue)
  },
})

export const reorder = endpoint('PUT /projects/:id/issues/:issue_iid/reorder', {
  summary: 'Put an issue between others, where people order by hand',
  scope: project,
  can: abilities.change_issue,
  params: {
    ...iidParam,
    move_after_id: int().optional().describe('Id of the issue that is to come after it'),
    move_before_id: int().optional().describe('Id of the issue that is to come before it'),
  },
  fails: { 422: 'There is no such neighbour' },
  returns: ok(Issue),
  run: ({ project: owner, params, ...ctx }) => {
    const issue = findIssue(ctx, owner, params.issue_iid)
    return showIssue(ctx, reorderIssue(ctx, owner, issue, params), fullPath(owner))
  },
})
