import {
  type AwardKind,
  awardEndpoints,
  discussionEndpoints,
  noteEndpoints,
  type Noteable,
  type NoteableKind,
} from '../../discussions/index.ts'
import type { IssuableKind } from '../issuables/kind.ts'
import { participantEndpoints, subscriptionEndpoints } from '../issuables/endpoints/subscription.ts'
import { resourceEventEndpoints } from '../issuables/endpoints/resource-events.ts'
import { timeEndpoints } from '../issuables/endpoints/time.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { fullPath, project as scope } from '../../projects/index.ts'
import { runCommands } from './commands.ts'
import { Issue } from './entity.ts'
import { findIssue } from './find.ts'
import { iidParam } from './params.ts'
import { asIssuable, type IssueRow } from './issue.ts'
import { abilities } from './policy.ts'
import * as store from './store.ts'
import { showIssue } from './view.ts'

/** An issue as something to write notes under. */
export function issueNoteable({
  id,
  iid,
  project_id,
}: Pick<IssueRow, 'id' | 'iid' | 'project_id'>): Noteable {
  return { type: 'Issue', project_id, id, sha: null, iid }
}

const common = {
  path: '/issues/:issue_iid',
  title: 'issue',
  params: iidParam,
  read: abilities.read_issue,
} as const

/** Issues, for notes, discussions and emoji. Threads are resolved; a single note becomes a thread when it is answered. */
export const issueKind: NoteableKind & AwardKind = {
  ...common,
  write: abilities.comment_issue,
  load: (ctx, project, params) => issueNoteable(findIssue(ctx, project, Number(params['issue_iid']))),
  singleNotesCanBeAnswered: true,
  threadsResolve: true,
  notesCanBeInternal: true,
  checkWrite(ctx, project, noteable) {
    const issue = store.byId(ctx.db, noteable.id!)
    if (issue?.discussion_locked !== true) return
    if (!isAble(ctx, scope, abilities.comment_locked_issue, project, true)) throw fail('forbidden')
  },
  mayResolve: (ctx, project) => isAble(ctx, scope, abilities.admin_issue, project, true),
  commands: (ctx, project, noteable, commands) => runCommands(ctx, project, noteable.id!, commands),
}

/** Issues, for what they share with merge requests. */
export const issueIssuable: IssuableKind = {
  ...common,
  name: 'Issue',
  subscribe: abilities.comment_issue,
  plan: abilities.admin_issue,
  load: (ctx, project, params) => asIssuable(findIssue(ctx, project, Number(params['issue_iid']))),
  entity: Issue,
  show: (ctx, project, id) => showIssue(ctx, store.byId(ctx.db, id)!, fullPath(project)),
}

/** Endpoints that issues have in common with other things. */
export const sharedEndpoints = [
  ...noteEndpoints(issueKind),
  ...discussionEndpoints(issueKind),
  ...awardEndpoints(issueKind),
  ...subscriptionEndpoints(issueIssuable),
  ...participantEndpoints(issueIssuable),
  ...timeEndpoints(issueIssuable),
  ...resourceEventEndpoints(issueIssuable),
]
