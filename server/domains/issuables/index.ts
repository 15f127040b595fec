export {
  issuableOf,
  noteableOf,
  tablesOf,
  type Issuable,
  type IssuableColumns,
  type IssuableName,
} from './issuable.ts'
export { keepIid, nextIid } from './iids.ts'
export { assigneeIdsOf, assigneesOf, labelIdsOf, labelsOf, milestonesOf } from './reads.ts'
export { humanTime, parseDuration, timeStats, type TimeStats } from './time.ts'
export { taskCompletion, taskStatus, type TaskCompletion } from './tasks.ts'
export { pathFrom, references, type References } from './references.ts'
export {
  inWords,
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
export { mentionedIn, namesIn, type Mention } from './mentions.ts'
export { closingReferences, referencesIn, withPaths, type TextReference } from './text-references.ts'
export { withoutCode } from './plain-text.ts'
export { inNameOf } from './acting.ts'
export type { IssuableFilter, NegatedFilter } from './list/filter.ts'
export { countByState, findIssuables, issuableWhere, type IssuableQuery } from './list/find.ts'
export type { IssuablePage } from './list/order.ts'
export {
  archivedParam,
  EXCLUSIVE,
  intNoneAny,
  issuableFilterParams,
  issuableOrders,
  notParam,
  notParams,
  type NumberOrWord,
} from './list/params.ts'
export { checkOnly, never, opposite, type Condition, type Part } from './list/part.ts'
export { assignedTo, linked } from './list/people-parts.ts'
export { readableProjects, visibleIssues, type Place } from './list/place.ts'
export { DUE } from './list/plan-parts.ts'
export { mayRead, mayReadId, mayReadIn, maySeeSecret } from './reading.ts'
export { isSubscribed, subscribe } from './subscriptions.ts'
export { participantsOf } from './participants.ts'
export {
  addSpentTime,
  resetSpentTime,
  setEstimate,
  timesOf,
  type SpentTime,
  type Times,
} from './time-changes.ts'
export { eventOf, findEvents, type Resource } from './resource-events.ts'
export type { IssuableContext, IssuableKind } from './kind.ts'
export { participantEndpoints, subscriptionEndpoints } from './endpoints/subscription.ts'
export { timeEndpoints } from './endpoints/time.ts'
export { resourceEventEndpoints } from './endpoints/resource-events.ts'
export { crossReference, issuableMeant, projectMeant, type Source } from './cross-references.ts'
export { runShared } from './commands/index.ts'
export type { CommandChanges, CommandPlace, Executor } from './commands/place.ts'
export { usersIn } from './commands/words.ts'
