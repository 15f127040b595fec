import { domain } from '../../domain.ts'
import { crons as membersCrons } from './jobs.ts'
import { subscribers as membersSubscribers } from './subscribers.ts'

export {
  type Levels,
  type NamespaceAncestry as NamespacePlace,
  type ProjectAncestry as ProjectPlace,
  levelsOnProject,
  levelsOnProjects,
  roleOnNamespace,
  roleOnProject,
} from './roles.ts'
export {
  groupsOfMember,
  groupsOfViewer,
  namespacesOfViewer,
  projectsOfMember,
  visibleGroups,
  visibleProjects,
} from './sets.ts'
export { projectsWithFeature } from './features.ts'
export {
  type MemberSource as MemberPlace,
  groupSource as groupPlace,
  projectSource as projectPlace,
} from './source.ts'
export { ensureOwner, insertMember } from './service.ts'
export { removeMember } from './leaving.ts'
export { isLocked } from './store.ts'
export { membersFrom, users as usersOfPlace } from './list.ts'
export { memberEndpoints } from './routes.ts'
export { groupMemberEndpoints } from './group-routes.ts'
export { counts as billableCounts } from './billable/store.ts'

export const membersDomain = domain({ name: 'members', crons: membersCrons, subscribers: membersSubscribers })
