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
export { closingReferences, referencesIn, type TextReference } from './text-references.ts'
export { withoutCode } from './plain-text.ts'
export { inNameOf } from './acting.ts'
