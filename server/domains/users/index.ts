import { domain } from '../../domain.ts'
import { cron } from '../../jobs/job.ts'
import { removeExpiredStatuses } from './store-details.ts'

export {
  withAttributesParam,
  attributeParams,
  customAttributeRoutes,
  userAttributeRoutes,
} from './custom_attributes/routes.ts'
export {
  type CustomAttributeRow,
  type OwnerKind,
  attributesOfOwners as customAttributesOf,
  hasAttributes as customAttributeCondition,
} from './custom_attributes/store.ts'
export { keyUsageProblem } from './keys/validation.ts'
export { checkNewKey, type KeyInput } from './keys/ssh-service.ts'
export {
  byFingerprint as sshKeyByFingerprint,
  byId as sshKeyById,
  insert as insertSshKey,
  remove as removeSshKey,
  update as updateSshKey,
  type SshKeyRow,
  type SshKeyView,
  removeOrphans as removeOrphanedKeys,
  recordKeyUse,
} from './keys/ssh-store.ts'
export { byKeyId as gpgKeysById, type GpgKeyRow } from './keys/gpg-store.ts'
export {
  hasPasswords,
  firstAdmin,
  hasUsers,
  removeUser,
  updateUser,
  userById,
  userByLogin,
  userByUsername,
  usersById,
  type UserRow,
  type UserBasicRow,
  resetAcceptedTerms,
  recordActivity,
} from './store.ts'
export { withUserDetails as withDetails, type UserDetailRow } from './store-details.ts'
export {
  isLastAdmin,
  isOwnCommitEmail,
  userByCommitEmail,
  userIdOfEmail,
  PRIVATE_EMAIL,
  privateEmail,
  insertUser,
  type NewUserInput,
  type UserColumns,
  setIdentity,
  type IdentityInput,
  findByIdOrName as userByIdOrName,
  userOf,
} from './service.ts'
export { accountParams, profileParams, toColumns, userSearchLimit } from './params.ts'
export { checkFree, checkIdentity, checkOwnAddresses, checkEmailAllowed } from './validation.ts'
export { passwordHash, unknownPasswordHash, type PasswordOwner } from './service-passwords.ts'
export { makePrimary, getEmail } from './emails/service.ts'
export {
  isVerified as isVerifiedEmail,
  setConfirmation as setEmailConfirmation,
  confirmSecondaryEmail,
} from './emails/store.ts'
export { GENERATED_AVATAR, generatedAvatar } from './entity-fields.ts'

export const usersDomain = domain({
  name: 'users',
  endpoints: () =>
    Promise.all([
      import('./routes.ts'),
      import('./emails/routes.ts'),
      import('./people-routes.ts'),
      import('./keys/ssh-routes.ts'),
      import('./keys/gpg-routes.ts'),
    ]),
  crons: [
    // Deletes the rows of expired statuses. Requests ignore them from the moment of their expiry.
    cron('users.clear_statuses', '*/10 * * * *', (ctx) => removeExpiredStatuses(ctx.db, ctx.now)),
  ],
  reloads: {
    user: ['users', 'user', '/-/profile'],
    custom_attribute: ['owner', 'custom_attributes'],
    ssh_key: ['keys'],
    gpg_key: ['gpg_keys'],
  },
})
