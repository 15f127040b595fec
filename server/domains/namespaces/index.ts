import { domain } from '../../domain.ts'
import { sealRegistrationTokens } from './service-registration-tokens.ts'
import * as namespacesRoutes from './routes.ts'

export type { NamespaceBasicRow, NamespaceRow } from './types.ts'
export { createPersonalNamespace, findNamespace, isOpenTo, renamePersonalNamespace } from './service.ts'
export { newRegistrationToken, registrationTokenOf } from './service-registration-tokens.ts'
export { nameProblem, pathProblem } from './validation.ts'
export {
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
} from './store.ts'
export {
  endRedirect,
  endRedirectsBelow,
  storeRedirect,
  storeRedirectsBelow,
  movedNamespace,
  movedProject,
} from './store-redirects.ts'

export const namespacesDomain = domain({
  name: 'namespaces',
  routes: [namespacesRoutes],
  prepare: sealRegistrationTokens,
})
