import { domain } from '../../domain.ts'
import { sealRegistrationTokens } from './service.ts'

export {
  type NamespaceBasicRow,
  type NamespaceRow,
  byId as namespaceById,
  byOwner as namespaceOfUser,
  byPath as namespaceByPath,
  levelsBelow as namespaceHeight,
  insert as insertNamespace,
  move as moveNamespace,
  remove as removeNamespace,
  rename as renameNamespace,
  treeIds as namespaceTreeIds,
  update as updateNamespace,
  updateMany as updateNamespaces,
  endRedirect,
  endRedirectsBelow,
  storeRedirect,
  storeRedirectsBelow,
  redirectedNamespace,
  redirectedProject,
} from './store.ts'
export {
  createPersonalNamespace,
  findNamespace,
  isOpenTo,
  renamePersonalNamespace,
  newRegistrationToken,
  registrationTokenOf,
  nameProblem,
  pathProblem,
} from './service.ts'

export const namespacesDomain = domain({
  name: 'namespaces',
  endpoints: () => import('./routes.ts'),
  prepare: sealRegistrationTokens,
})
