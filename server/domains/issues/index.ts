export { asIssuable, type IssueRow } from './issue.ts'
export {
  abilities as issueAbilities,
  canAdmin as canAdminIssues,
  canUpdate as canUpdateIssue,
} from './policy.ts'
export { canSee as canSeeIssue, findIssue, iidParam as issueIidParam } from './find.ts'
export { byId as issueById, byIds as issuesById, byIid as issueByIid } from './store.ts'
export { visibleIssues } from '../issuables/index.ts'
export { showIssue, showIssues, type IssueView, type ShowOptions } from './view.ts'
export { closeIssue, reopenIssue } from './state.ts'
export { createIssue, insertIssue, type NewIssue } from './create.ts'
export { updateIssue } from './update.ts'
export { reorderIssue, type Neighbours } from './reorder.ts'
export { issuesIn, issuesMeant } from './named.ts'
export { issueKind, issueNoteable } from './noteable.ts'
export { factOf as issueFact } from './facts-of.ts'
