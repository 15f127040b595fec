import { domain } from '../../domain.ts'
import { crons as lfsCrons } from './lfs/jobs.ts'
import * as storageRoutes from './storages/routes.ts'
import { crons as uploadsCrons, jobs as uploadsJobs } from './uploads/jobs.ts'

export { keepsLargeFiles } from './lfs/enabled.ts'
export { isStored as isLfsStored, lfsFile, NotTheObject, receiveObject } from './lfs/files.ts'
export {
  hasLocks,
  insertLock,
  lockById,
  lockOn,
  locksAmong,
  locksOf,
  removeLock,
  type LfsLock,
} from './lfs/locks.ts'
export { networkHasObjects, networkObjects } from './lfs/network.ts'
export {
  addLink,
  adoptObject,
  copyLinks as copyLfsLinks,
  keepObject,
  removeUnreferred as removeUnreferredObjects,
} from './lfs/objects.ts'
export { removeOrphans as removeOrphanedObjects } from './lfs/orphans.ts'
export { sendObjects as sendLargeFiles, type LfsRemote } from './lfs/sending.ts'
export {
  allOf as objectsOf,
  linkedAmong as linkedLfsObjects,
  type LinkedObject,
  type RepositoryType,
} from './lfs/store.ts'
export { freePlace } from './storages/free-place.ts'
export { missingStorage, storageGone } from './storages/missing.ts'
export {
  DEFAULT_STORAGE,
  isStorage,
  pickStorage,
  placeIn,
  storageFolder,
  storagesOf,
  type Storage,
} from './storages/storages.ts'
export {
  avatarParam,
  checkAvatar,
  endingOf,
  isPicture,
  removeAvatar,
  replaceAvatar,
  type AvatarKind,
} from './uploads/avatars.ts'
export { avatarFile, cleanFileName } from './uploads/files.ts'

export const storageDomain = domain({
  name: 'storage',
  jobs: uploadsJobs,
  routes: [storageRoutes],
  crons: [...lfsCrons, ...uploadsCrons],
})
