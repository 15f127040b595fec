export { issuableOf, type Issuable, type IssuableName } from './issuable.ts'
export { keepIid, nextIid } from './iids.ts'
export { assigneeIdsOf, assigneesOf, labelIdsOf, labelsOf, milestonesOf } from './reads.ts'
export { humanTime, parseDuration, timeStats } from './time.ts'
export { timeWords } from './time-changes.ts'
export { taskCompletion, taskStatus } from './tasks.ts'
export { references } from './references.ts'
export {
  peopleSentence,
  recordState,
  setAssignees,
  setLabels,
  setMilestone,
  touch,
  type Difference,
  type StateSource,
} from './changes.ts'
export { noteChange, noteDescriptionChange, noteLock, noteTitleChange } from './text-changes.ts'
export { namesIn } from './mentions.ts'
export { closingReferences, referencesIn, withPaths, type TextReference } from './text-references.ts'
export { withoutCode } from './plain-text.ts'
export { inNameOf } from './acting.ts'
export type { IssuableFilter } from './list/filter.ts'
export { countByState, findIssuables, type IssuableQuery } from './list/find.ts'
export type { IssuablePage } from './list/order.ts'
export {
  archivedParam,
  EXCLUSIVE,
  intNoneAny,
  issuableFilterParams,
  issuableOrders,
  notParams,
  type NumberOrWord,
} from './list/params.ts'
export { checkOnly, never, opposite, type Part } from './list/part.ts'
export { linked } from './list/people-parts.ts'
export { readableProjects, visibleIssues, type Place } from './list/place.ts'
export { DUE } from './list/plan-parts.ts'
export { mayRead, mayReadId, mayReadIn, maySeeSecret } from './reading.ts'
export { isSubscribed } from './subscriptions.ts'
export type { IssuableKind } from './kind.ts'
export { participantEndpoints, subscriptionEndpoints } from './endpoints/subscription.ts'
export { timeEndpoints } from './endpoints/time.ts'
export { resourceEventEndpoints } from './endpoints/resource-events.ts'
export { crossReference, issuableMeant } from './cross-references.ts'
export { runShared } from './commands/index.ts'
export type { CommandPlace } from './commands/place.ts'
export { usersIn } from './commands/words.ts'
