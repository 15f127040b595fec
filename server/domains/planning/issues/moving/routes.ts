import { endpoint } from '../../../../http/endpoint.ts'
import { bool, int } from '../../../../http/params.ts'
import { created } from '../../../../http/returns.ts'
import { Failure, notFound } from '../../../../lib/fail.ts'
import type { Ctx } from '../../../../ctx.ts'
import { fullPath, project, type Project } from '../../../projects/index.ts'
import { Issue } from '../entity.ts'
import { findIssue, projectOf } from '../find.ts'
import { iidParam } from '../params.ts'
import type { IssueRow } from '../issue.ts'
import { abilities } from '../policy.ts'
import { showIssue } from '../view.ts'
import { cloneIssue, moveIssue } from './service.ts'

const params = { ...iidParam, to_project_id: int({ min: 1 }).describe('The ID of the target project') }

/** Finds the issue of the path. These endpoints have their own 404 message. */
function found(ctx: Ctx, owner: Project, iid: number): IssueRow {
  try {
    return findIssue(ctx, owner, iid)
  } catch (error) {
    throw error instanceof Failure ? notFound('Issue') : error
  }
}

const shown = (ctx: Ctx, issue: IssueRow) => showIssue(ctx, issue, fullPath(projectOf(ctx, issue)))

export const move = endpoint('POST /projects/:id/issues/:issue_iid/move', {
  summary: 'Move an issue to another project',
  scope: project,
  can: abilities.change_issue,
  params,
  fails: { 400: 'The actor may not move it there' },
  returns: created(Issue),
  run: ({ project: owner, params: { issue_iid, to_project_id }, ...ctx }) =>
    shown(ctx, moveIssue(ctx, owner, found(ctx, owner, issue_iid), to_project_id)),
})

export const clone = endpoint('POST /projects/:id/issues/:issue_iid/clone', {
  summary: 'Clone an issue',
  scope: project,
  can: abilities.change_issue,
  params: { ...params, with_notes: bool().default(false).describe('Include its discussions') },
  fails: { 400: 'The actor may not make it there' },
  returns: created(Issue),
  run: ({ project: owner, params: { issue_iid, ...given }, ...ctx }) =>
    shown(ctx, cloneIssue(ctx, owner, found(ctx, owner, issue_iid), given)),
})
