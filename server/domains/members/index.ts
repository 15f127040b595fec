import { domain } from '../../domain.ts'
import { cron } from '../../jobs/job.ts'
import { removeExpired } from './service.ts'
import { subscribers as membersSubscribers } from './subscribers.ts'

export {
  type Levels,
  type NamespaceAncestry,
  type ProjectAncestry,
  isDeveloperSomewhere,
  levelsOnProject,
  levelsOnProjects,
  roleOnNamespace,
  roleOnProject,
} from './store-roles.ts'
export {
  groupsOfMember,
  groupsOfViewer,
  namespacesOfViewer,
  projectsOfMember,
  visibleGroups,
  visibleProjects,
  projectsWithFeature,
} from './store-visibility.ts'
export { type MemberSource, groupSource, projectSource } from './types.ts'
export { ensureOwner, insertMember, removeMember } from './service.ts'
export {
  isLocked,
  moveMembers,
  extendMembership,
  insertShare,
  removeShare,
  removeOthers as removeOtherMembers,
} from './store.ts'
export { membersFrom, users as usersOfSource } from './store-list.ts'
export { memberEndpoints } from './routes.ts'
export { groupMemberEndpoints } from './routes-owner.ts'
export { counts as billableCounts } from './store-billable.ts'

export const membersDomain = domain({
  name: 'members',
  // Deletes the rows of expired memberships and shares every night, and publishes the events. They have no effect from
  // the start of their expiry date.
  crons: [cron('members.remove_expired', '5 0 * * *', removeExpired)],
  subscribers: membersSubscribers,
})
