import type { Ctx } from '../../../ctx.ts'
import { atLeastOne, endpoint } from '../../../http/endpoint.ts'
import { bool, choice, day, int, list, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok } from '../../../http/returns.ts'
import { notFound, fail, Failure } from '../../../lib/fail.ts'
import { hasAbility } from '../../../policy/ability.ts'
import {
  type AwardKind,
  awardEndpoints,
  discussionEndpoints,
  noteEndpoints,
  type NoteableKind,
} from '../../discussions/index.ts'
import { fullPath, project as scope, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import {
  participantEndpoints,
  resourceEventEndpoints,
  subscriptionEndpoints,
  timeEndpoints,
  type IssuableKind,
} from '../issuables/routes-shared.ts'
import { cloneIssue, moveIssue } from './moving/service.ts'
import { runCommands } from './issue-commands.ts'
import { createIssue, editIssue } from './service.ts'
import { deleteIssue } from './state.ts'
import { Issue } from './entity.ts'
import { ISSUE_TYPES, findIssue, asIssuable, issueNoteable, type IssueRow, projectOf } from './issue.ts'
import { abilities } from './policy.ts'
import { reorderIssue } from './update.ts'
import * as store from './store.ts'
import { showIssue } from './view.ts'
import { iidParam } from './params.ts'

const params = { ...iidParam, to_project_id: int({ min: 1 }).describe('The ID of the target project') }

/** Finds the issue of the path. These endpoints have their own 404 message. */
function issueOf(ctx: Ctx, owner: Project, iid: number): IssueRow {
  try {
    return findIssue(ctx, owner, iid)
  } catch (error) {
    throw error instanceof Failure ? notFound('Issue') : error
  }
}

const viewOf = (ctx: Ctx, issue: IssueRow) => showIssue(ctx, issue, fullPath(projectOf(ctx, issue)))

export const move = endpoint('POST /projects/:id/issues/:issue_iid/move', {
  summary: 'Move an issue to another project',
  scope,
  can: abilities.change_issue,
  params,
  fails: { 400: 'The caller may not move the issue to the target project' },
  returns: created(Issue),
  run: ({ project: owner, params: { issue_iid, to_project_id }, ...ctx }) =>
    viewOf(ctx, moveIssue(ctx, owner, issueOf(ctx, owner, issue_iid), to_project_id)),
})

export const clone = endpoint('POST /projects/:id/issues/:issue_iid/clone', {
  summary: 'Clone an issue',
  scope,
  can: abilities.change_issue,
  params: { ...params, with_notes: bool().default(false).describe('Include the discussions of the issue') },
  fails: { 400: 'The caller may not create the issue in the target project' },
  returns: created(Issue),
  run: ({ project: owner, params: { issue_iid, ...input }, ...ctx }) =>
    viewOf(ctx, cloneIssue(ctx, owner, issueOf(ctx, owner, issue_iid), input)),
})

const common = {
  path: '/issues/:issue_iid',
  title: 'issue',
  params: iidParam,
  read: abilities.read_issue,
} as const

/** Issues as noteables. Threads can be resolved, and a single note becomes a thread with its first reply. */
const issueKind: NoteableKind & AwardKind = {
  ...common,
  write: abilities.comment_issue,
  load: (ctx, project, params) => issueNoteable(findIssue(ctx, project, Number(params['issue_iid']))),
  singleNotesCanBeAnswered: true,
  threadsResolve: true,
  notesCanBeInternal: true,
  checkWrite(ctx, project, noteable) {
    const issue = store.byId(ctx.db, noteable.id!)
    if (issue?.discussion_locked !== true) return
    if (!hasAbility(ctx, scope, abilities.comment_locked_issue, project, true)) throw fail('forbidden')
  },
  mayResolve: (ctx, project) => hasAbility(ctx, scope, abilities.admin_issue, project, true),
  commands: (ctx, project, noteable, commands) => runCommands(ctx, project, noteable.id!, commands),
}

/** Describes issues to the endpoints that they share with merge requests. */
const issueIssuable: IssuableKind = {
  ...common,
  name: 'Issue',
  subscribe: abilities.comment_issue,
  plan: abilities.admin_issue,
  load: (ctx, project, params) => asIssuable(findIssue(ctx, project, Number(params['issue_iid']))),
}

/** The endpoints that issues share with other noteables. */
export const sharedEndpoints = [
  ...noteEndpoints(issueKind),
  ...discussionEndpoints(issueKind),
  ...awardEndpoints(issueKind),
  ...subscriptionEndpoints(issueIssuable, {
    returns: created(Issue),
    show: (ctx, project, id) => showIssue(ctx, store.byId(ctx.db, id)!, fullPath(project)),
  }),
  ...participantEndpoints(issueIssuable),
  ...timeEndpoints(issueIssuable),
  ...resourceEventEndpoints(issueIssuable),
]

const titles = () => list(text({ max: 255 }), { max: 100 })

const fields = {
  description: text({ max: 2_000_000 }).nullable().optional().describe('The description, in Markdown'),
  assignee_ids: list(int({ min: 0 }), { max: 200 })
    .nullable()
    .optional()
    .describe('The IDs of the assignees. `0` or an empty list removes all'),
  assignee_id: int({ min: 0 }).nullable().optional().describe('The ID of the assignee (deprecated)'),
  milestone_id: int({ min: 0 }).nullable().optional().describe('The ID of the milestone. `0` removes it'),
  labels: titles().nullable().optional().describe('The titles of the labels, comma-separated'),
  due_date: day().nullable().optional().describe('The due date'),
  confidential: bool()
    .optional()
    .describe(
      'Show the issue only to its author, its assignees, and members with at least the Reporter role',
    ),
  discussion_locked: bool().nullable().optional().describe('Allow only project members to comment'),
  issue_type: choice(...ISSUE_TYPES)
    .optional()
    .describe('The type of the issue'),
  weight: int({ min: 0, max: 1_000_000 }).nullable().optional().describe('The weight'),
  health_status: choice('on_track', 'needs_attention', 'at_risk')
    .nullable()
    .optional()
    .describe('The health status'),
  epic_id: int().nullable().optional().describe('Ignored, because there are no epics'),
  created_at: timestamp().optional().describe('The time of creation. Requires the Owner role'),
}

/** Parameters of creating an issue. */
const createParams = {
  title: text({ max: 100_000 }).describe('The title'),
  ...fields,
  iid: int({ min: 1, max: 2_147_483_647 })
    .optional()
    .describe('The internal ID (IID). Requires the Owner role'),
  merge_request_to_resolve_discussions_of: int({ min: 1 })
    .optional()
    .describe('The IID of a merge request. Its open discussions are copied to the issue and resolved'),
  discussion_to_resolve: text({ max: 255 }).optional().describe('The ID of the only discussion to resolve'),
}

/** Parameters of updating an issue. */
const updateParams = {
  title: text({ max: 100_000 }).optional().describe('The title'),
  ...fields,
  add_labels: titles().optional().describe('The titles of labels to add'),
  remove_labels: titles().optional().describe('The titles of labels to remove'),
  state_event: choice('close', 'reopen').optional().describe('The new state: `close` or `reopen`'),
  updated_at: timestamp().optional().describe('The time of the update. Requires the Owner role'),
}

/** An update needs at least one of these parameters. */
const requiresChange = atLeastOne(...Object.keys(updateParams).sort())

const INVALID = 'A value is invalid: `{"message": {"<field>": ["…"]}}`'
/** The maximum size of a request body, bytes: a description may have a million characters of several bytes each. */
const MAX_BODY = 5 * 1024 * 1024

/** The number of issues that a user may create per minute (spec core 8.8). */
const CREATING = { max: 300, per: 60, maxOf: (ctx: Ctx) => settingsOf(ctx).issues_create_limit }

export const getIssue = endpoint('GET /issues/:id', {
  summary: 'Get an issue by its ID',
  can: 'admin',
  params: { id: int({ min: 1 }).describe('The ID of the issue') },
  returns: ok(Issue),
  run: ({ params, ...ctx }) => {
    const issue = store.byId(ctx.db, params.id)
    if (!issue) throw notFound('Issue')
    return showIssue(ctx, issue, undefined)
  },
})

export const getProjectIssue = endpoint('GET /projects/:id/issues/:issue_iid', {
  summary: 'Get a project issue',
  scope,
  can: abilities.read_issue,
  params: iidParam,
  pure: true,
  returns: ok(Issue),
  run: ({ project: owner, params, ...ctx }) =>
    showIssue(ctx, findIssue(ctx, owner, params.issue_iid), fullPath(owner)),
})

export const postIssue = endpoint('POST /projects/:id/issues', {
  summary: 'Create an issue',
  scope,
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
  summary: 'Update an issue',
  scope,
  can: abilities.change_issue,
  maxBody: MAX_BODY,
  params: { ...iidParam, ...updateParams },
  parameterRules: [requiresChange],
  fails: { 400: INVALID },
  returns: ok(Issue),
  run: async ({ project: owner, params: { issue_iid, ...input }, ...ctx }) => {
    const issue = findIssue(ctx, owner, issue_iid)
    return showIssue(ctx, await editIssue(ctx, owner, issue, input), fullPath(owner))
  },
})

export const removeIssue = endpoint('DELETE /projects/:id/issues/:issue_iid', {
  summary: 'Delete an issue',
  scope,
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
  summary: 'Reorder an issue',
  scope,
  can: abilities.change_issue,
  params: {
    ...iidParam,
    move_after_id: int().optional().describe('The ID of the following issue'),
    move_before_id: int().optional().describe('The ID of the preceding issue'),
  },
  fails: { 422: 'The neighboring issue does not exist' },
  returns: ok(Issue),
  run: ({ project: owner, params, ...ctx }) => {
    const issue = findIssue(ctx, owner, params.issue_iid)
    return showIssue(ctx, reorderIssue(ctx, owner, issue, params), fullPath(owner))
  },
})
