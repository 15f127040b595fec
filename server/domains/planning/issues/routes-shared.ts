import {
  type AwardKind,
  awardEndpoints,
  discussionEndpoints,
  noteEndpoints,
  type NoteableKind,
} from '../../discussions/index.ts'
import {
  participantEndpoints,
  resourceEventEndpoints,
  subscriptionEndpoints,
  timeEndpoints,
  type IssuableKind,
} from '../issuables/routes-shared.ts'
import { created } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { isAble } from '../../../policy/ability.ts'
import { fullPath, project as scope } from '../../projects/index.ts'
import { runCommands } from './commands.ts'
import { Issue } from './entity.ts'
import { findIssue } from './find.ts'
import { iidParam } from './params.ts'
import { asIssuable, issueNoteable } from './issue.ts'
import { abilities } from './policy.ts'
import * as store from './store.ts'
import { showIssue } from './view.ts'

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
    if (!isAble(ctx, scope, abilities.comment_locked_issue, project, true)) throw fail('forbidden')
  },
  mayResolve: (ctx, project) => isAble(ctx, scope, abilities.admin_issue, project, true),
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
