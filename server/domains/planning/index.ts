import { domain } from '../../domain.ts'
import { issuableEvents } from './visibility.ts'
import { subscribers as issuesSubscribers } from './issues/subscribers.ts'
import { subscribers as labelsSubscribers } from './labels/subscribers.ts'
import { subscribers as milestonesSubscribers } from './milestones/subscribers.ts'

export { issuableOf, type Issuable, type IssuableName, references } from './issuables/issuable.ts'
export { chooseIid, chosenIid, recordIid, nextIid } from './issuables/iids.ts'
export { milestonesOf } from './milestones/store.ts'
export { assigneeIdsOf, assigneesOf, labelIdsOf, labelsOf } from './issuables/store.ts'
export { humanTime, parseDuration, timeStats, timeWords } from './issuables/time.ts'
export {
  taskCompletion,
  taskStatus,
  noteChange,
  noteDescriptionChange,
  noteLock,
  noteTitleChange,
} from './issuables/text-changes.ts'
export {
  peopleSentence,
  recordState,
  setAssignees,
  setLabels,
  setMilestone,
  touch,
  type Difference,
} from './issuables/changes.ts'
export type { StateSource } from './issuables/store-changes.ts'
export { namesIn, resolveIssuable } from './issuables/store-references.ts'
export {
  closingReferences,
  referencesIn,
  withPaths,
  type TextReference,
  withoutCode,
} from './issuables/text-references.ts'
export { onBehalfOf } from './issuables/acting.ts'
export {
  type IssuableFilter,
  checkOnly,
  matchNothing,
  negate,
  type SqlFilter,
} from './issuables/list/filter.ts'
export { countByState, findIssuables, type IssuableQuery } from './issuables/list/store.ts'
export type { IssuablePage } from './issuables/list/order.ts'
export {
  archivedParam,
  EXCLUSIVE,
  intNoneAny,
  issuableFilterParams,
  issuableOrders,
  notParams,
  type NumberOrWord,
  DUE,
} from './issuables/list/params.ts'
export { withLinkedRow } from './issuables/list/store-filters.ts'
export { readableProjects, visibleIssues, type IssuableScope } from './issuables/list/store-where.ts'
export { mayRead, mayReadId, mayReadIn, maySeeConfidential } from './issuables/store-reading.ts'
export { isSubscribed } from './issuables/store-participants.ts'
export {
  participantEndpoints,
  resourceEventEndpoints,
  subscriptionEndpoints,
  timeEndpoints,
  type IssuableKind,
} from './issuables/routes-shared.ts'
export { crossReference } from './issuables/cross-references.ts'
export { runShared } from './issuables/commands/index.ts'
export { type CommandTarget, usersIn } from './issuables/commands/target.ts'
export {
  type IssueRow,
  mayUpdate as mayUpdateIssue,
  findIssue,
  issueNoteable,
  resolveIssues,
} from './issues/issue.ts'
export { abilities as issueAbilities } from './issues/policy.ts'
export { iidParam as issueIidParam } from './issues/params.ts'
export { showIssues } from './issues/view.ts'
export { closeIssue } from './issues/state.ts'
export { createIssue } from './issues/service.ts'
export { findIssues } from './issues/lists/params.ts'
export { byId as issueById } from './issues/store.ts'
export type { LabelRow } from './labels/label.ts'
export { labelsNamed, usableLabel } from './labels/find.ts'
export {
  renderLabelsOf,
  availableLabels,
  labelsByIds,
  projectIdsBelow,
  labelsWithTitles,
} from './labels/store.ts'
export { groupOwner, projectOwner, type PlanningOwner } from './types-owner.ts'
export {
  hasPlanning,
  abilities as milestoneAbilities,
  groupAbilities as groupMilestoneAbilities,
} from './policy.ts'
export { projectsWithPlanning, treeOf } from './labels/store-visibility.ts'
export { checkPlanningAccess } from './labels/owner-kind.ts'
export {
  type MilestoneRow,
  milestoneFor,
  milestonesByIds,
  milestoneTitled,
  usableMilestone,
} from './milestones/store.ts'
export * as importedPlanning from './store-imported.ts'

export const planningDomain = domain({
  name: 'planning',
  subjects: { issue_id: 'issues' },
  endpoints: () =>
    Promise.all([
      import('./labels/routes.ts'),
      import('./milestones/routes.ts'),
      import('./boards/routes.ts'),
      import('./issues/routes.ts'),
      import('./issues/lists/routes.ts'),
      import('./issues/links/routes.ts'),
    ]),
  subscribers: [...labelsSubscribers, ...milestonesSubscribers, ...issuesSubscribers],
  visibleTo: [issuableEvents],
  reloads: {
    issue: ['owner', 'issues', '+/groups/:id/issues', 'todos', 'user_counts'],
    issuable: [
      'owner',
      'issues',
      'merge_requests',
      '+/groups/:id/issues',
      '+/groups/:id/merge_requests',
      'todos',
      'user_counts',
    ],
  },
})
