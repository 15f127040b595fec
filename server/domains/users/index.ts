import { domain } from '../../domain.ts'
import * as userEmailsRoutes from './emails/routes.ts'
import * as userFollowsRoutes from './follows/routes.ts'
import { crons as usersCrons } from './jobs.ts'
import * as gpgKeysRoutes from './keys/gpg-routes.ts'
import * as sshKeysRoutes from './keys/ssh-routes.ts'
import * as usersRoutes from './routes.ts'
import * as userStatusesRoutes from './statuses/routes.ts'

export { withAttributesParam, attributeParams } from './custom_attributes/params.ts'
export type { CustomAttributeRow, OwnerKind } from './custom_attributes/store.ts'
export {
  ofMany as customAttributesOf,
  hasAll as customAttributeCondition,
} from './custom_attributes/store.ts'
export { customAttributeRoutes, userAttributeRoutes } from './custom_attributes/routes.ts'
export { problemOfKey } from './keys/validation.ts'
export { checkedKey, type KeyInput } from './keys/ssh-service.ts'
export {
  byFingerprint as sshKeyByFingerprint,
  byId as sshKeyById,
  insert as insertSshKey,
  remove as removeSshKey,
  update as updateSshKey,
  type SshKeyRow,
  type SshKeyView,
} from './keys/ssh-store.ts'
export { byKeyId as gpgKeysById, type GpgKeyRow } from './keys/gpg-store.ts'
export {
  anyPassword,
  firstAdmin,
  hasUsers,
  removeUser,
  updateUser,
  userById,
  userByLogin,
  userByUsername,
  usersById,
} from './store.ts'
export { withUserDetails as withDetails } from './store-details.ts'
export { isLastAdmin, isOwnCommitEmail, userByCommitEmail, userIdOfEmail } from './service-lookup.ts'
export type { UserRow, UserBasicRow } from './store.ts'
export type { UserDetailRow } from './store-details.ts'
export { accountParams, profileParams, toColumns } from './profile-params.ts'
export { checkFree, checkIdentity, checkOwnAddresses } from './validation.ts'
export { checkEmailAllowed } from './validation.ts'
export { PRIVATE_EMAIL, privateEmail } from './service-lookup.ts'
export { passwordHash, unknownPasswordHash } from './service-passwords.ts'
export type { PasswordOwner } from './service-passwords.ts'
export { insertUser, type NewUserInput, type UserColumns } from './service.ts'
export { becomePrimary, getEmail } from './emails/service.ts'
export { isVerified as isVerifiedEmail, setConfirmation as setEmailConfirmation } from './emails/store.ts'
export { setIdentity, type GivenIdentity } from './service.ts'
export { userNamed, userOf } from './service-lookup.ts'
export { DRAWN_AVATAR, drawnAvatar } from './entity-avatar.ts'
export { searching } from './list-params.ts'

export const usersDomain = domain({
  name: 'users',
  routes: [
    usersRoutes,
    userEmailsRoutes,
    userFollowsRoutes,
    userStatusesRoutes,
    sshKeysRoutes,
    gpgKeysRoutes,
  ],
  crons: usersCrons,
})
