import { domain } from '../../domain.ts'
import * as userEmailsRoutes from './emails/routes.ts'
import * as userFollowsRoutes from './follows/routes.ts'
import * as userIdentitiesRoutes from './identities/routes.ts'
import { crons as usersCrons } from './jobs.ts'
import * as keysRoutes from './keys/routes.ts'
import * as userPreferencesRoutes from './preferences/routes.ts'
import * as usersRoutes from './routes.ts'
import * as userStatusesRoutes from './statuses/routes.ts'

export { withAttributesParam, attributeParams } from './custom_attributes/params.ts'
export type { CustomAttributeRow, OwnerKind } from './custom_attributes/owner.ts'
export {
  ofMany as customAttributesOf,
  hasAll as customAttributeCondition,
} from './custom_attributes/store.ts'
export { customAttributeRoutes, userAttributeRoutes } from './custom_attributes/routes.ts'
export { problemOfKey } from './keys/ssh/restrictions.ts'
export { checkedKey, type KeyInput } from './keys/ssh/service.ts'
export {
  byFingerprint as sshKeyByFingerprint,
  byId as sshKeyById,
  insert as insertSshKey,
  remove as removeSshKey,
  update as updateSshKey,
  type SshKeyRow,
  type SshKeyView,
} from './keys/ssh/store.ts'
export { byKeyId as gpgKeysById, type GpgKeyRow } from './keys/gpg/store.ts'
export {
  userById,
  userByUsername,
  userByLogin,
  userByCommitEmail,
  userIdOfEmail,
  isOwnCommitEmail,
  usersById,
  withDetails,
  hasUsers,
  anyPassword,
  firstAdmin,
  isLastAdmin,
  updateUser,
  removeUser,
} from './find.ts'
export type { UserRow, UserBasicRow } from './store.ts'
export type { UserDetailRow } from './details.ts'
export { accountParams, profileParams, toColumns } from './profile-params.ts'
export { checkFree, checkIdentity, checkOwnAddresses } from './rules.ts'
export { checkEmailAllowed } from './email-rules.ts'
export { PRIVATE_EMAIL, privateEmail } from './commit-email.ts'
export { passwordHash, unknownPasswordHash } from './password.ts'
export type { PasswordOwner } from './weak-password.ts'
export { insertUser, type NewUserInput, type UserColumns } from './service.ts'
export { becomePrimary, getEmail } from './emails/service.ts'
export { isVerified as isVerifiedEmail, setConfirmation as setEmailConfirmation } from './emails/store.ts'
export { setIdentity, type GivenIdentity } from './identities/service.ts'
export { userNamed, userOf } from './lookup.ts'
export { DRAWN_AVATAR, drawnAvatar } from './drawn-avatar.ts'
export { searching } from './search-limit.ts'

export const usersDomain = domain({
  name: 'users',
  routes: [
    usersRoutes,
    userEmailsRoutes,
    userFollowsRoutes,
    userIdentitiesRoutes,
    userPreferencesRoutes,
    userStatusesRoutes,
    keysRoutes,
  ],
  crons: usersCrons,
})
