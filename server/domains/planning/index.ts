import { domain } from '../../domain.ts'
import { issuableEvents } from './visibility.ts'
import * as boardsRoutes from './boards/routes.ts'
import { subscribers as issuablesSubscribers } from './issuables/subscribers.ts'
import * as issueLinkRoutes from './issues/links/routes.ts'
import * as issueMilestoneRoutes from './issues/lists/milestone-routes.ts'
import * as issueListRoutes from './issues/lists/routes.ts'
import * as issueMovingRoutes from './issues/moving/routes.ts'
import * as issuesRoutes from './issues/routes.ts'
import { subscribers as issuesSubscribers } from './issues/subscribers.ts'
import * as labelsRoutes from './labels/routes.ts'
import { subscribers as labelsSubscribers } from './labels/subscribers.ts'
import * as milestonesRoutes from './milestones/routes.ts'
import { subscribers as milestonesSubscribers } from './milestones/subscribers.ts'

export { issuableOf, type Issuable, type IssuableName } from './issuables/issuable.ts'
export { keepIid, nextIid } from './issuables/iids.ts'
export { assigneeIdsOf, assigneesOf, labelIdsOf, labelsOf, milestonesOf } from './issuables/reads.ts'
export { humanTime, parseDuration, timeStats } from './issuables/time.ts'
export { timeWords } from './issuables/time-changes.ts'
export { taskCompletion, taskStatus } from './issuables/tasks.ts'
export { references } from './issuables/references.ts'
export {
  peopleSentence,
  recordState,
  setAssignees,
  setLabels,
  setMilestone,
  touch,
  type Difference,
  type StateSource,
} from './issuables/changes.ts'
export { noteChange, noteDescriptionChange, noteLock, noteTitleChange } from './issuables/text-changes.ts'
export { namesIn } from './issuables/mentions.ts'
export {
  closingReferences,
  referencesIn,
  withPaths,
  type TextReference,
} from './issuables/text-references.ts'
export { withoutCode } from './issuables/plain-text.ts'
export { inNameOf } from './issuables/acting.ts'
export type { IssuableFilter } from './issuables/list/filter.ts'
export { countByState, findIssuables, type IssuableQuery } from './issuables/list/find.ts'
export type { IssuablePage } from './issuables/list/order.ts'
export {
  archivedParam,
  EXCLUSIVE,
  intNoneAny,
  issuableFilterParams,
  issuableOrders,
  notParams,
  type NumberOrWord,
} from './issuables/list/params.ts'
export { checkOnly, never, opposite, type Part } from './issuables/list/part.ts'
export { linked } from './issuables/list/people-parts.ts'
export { readableProjects, visibleIssues, type IssuableScope as Place } from './issuables/list/scope.ts'
export { DUE } from './issuables/list/plan-parts.ts'
export { mayRead, mayReadId, mayReadIn, maySeeSecret } from './issuables/reading.ts'
export { isSubscribed } from './issuables/subscriptions.ts'
export type { IssuableKind } from './issuables/kind.ts'
export { participantEndpoints, subscriptionEndpoints } from './issuables/endpoints/subscription.ts'
export { timeEndpoints } from './issuables/endpoints/time.ts'
export { resourceEventEndpoints } from './issuables/endpoints/resource-events.ts'
export { crossReference, issuableMeant } from './issuables/cross-references.ts'
export { runShared } from './issuables/commands/index.ts'
export type { CommandTarget as CommandPlace } from './issuables/commands/target.ts'
export { usersIn } from './issuables/commands/words.ts'
export type { IssueRow } from './issues/issue.ts'
export { abilities as issueAbilities } from './issues/policy.ts'
export { mayUpdate as mayUpdateIssue } from './issues/find.ts'
export { findIssue } from './issues/find.ts'
export { iidParam as issueIidParam } from './issues/params.ts'
export { showIssues } from './issues/view.ts'
export { closeIssue } from './issues/state.ts'
export { createIssue } from './issues/create.ts'
export { findIssues } from './issues/lists/find.ts'
export { issueNoteable } from './issues/noteable.ts'
export { byId as issueById } from './issues/store.ts'
export { issuesMeant } from './issues/find.ts'
export type { LabelRow } from './labels/label.ts'
export { labelsNamed } from './labels/named.ts'
export { usableLabel } from './labels/find.ts'
export { renderLabelsOf } from './labels/render-of.ts'
export { groupOwner, projectOwner, type LabelOwner } from './labels/owner.ts'
export { availableLabels, labelsByIds, projectIdsBelow, titled as labelsTitled } from './labels/store.ts'
export { isPlanned } from './labels/policy.ts'
export { labelled as plannedProjects, notHidden, readable, treeOf } from './labels/reach.ts'
export { checkOpen as checkPlanned } from './labels/owner-kind.ts'
export type { MilestoneRow } from './milestones/milestone.ts'
export { milestoneFor, milestonesByIds, milestoneTitled, usableMilestone } from './milestones/store.ts'
export {
  abilities as milestoneAbilities,
  groupAbilities as groupMilestoneAbilities,
} from './milestones/policy.ts'

export const planningDomain = domain({
  name: 'planning',
  subjects: { issue_id: 'issues' },
  routes: [
    labelsRoutes,
    milestonesRoutes,
    boardsRoutes,
    issuesRoutes,
    issueListRoutes,
    issueMilestoneRoutes,
    issueLinkRoutes,
    issueMovingRoutes,
  ],
  subscribers: [
    ...labelsSubscribers,
    ...milestonesSubscribers,
    ...issuablesSubscribers,
    ...issuesSubscribers,
  ],
  visibleTo: [issuableEvents],
})
