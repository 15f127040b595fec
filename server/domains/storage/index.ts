import { domain } from '../../domain.ts'
import { crons as lfsCrons } from './lfs/jobs.ts'
import * as storageRoutes from './storages/routes.ts'
import { crons as uploadsCrons, jobs as uploadsJobs } from './uploads/jobs.ts'

export { keepsLargeFiles } from './lfs/store.ts'
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
} from './lfs/store-locks.ts'
export { networkHasObjects, networkObjects } from './lfs/store.ts'
export {
  addLink,
  adoptObject,
  copyLinks as copyLfsLinks,
  keepObject,
  removeUnreferred as removeUnreferredObjects,
} from './lfs/objects.ts'
export { removeOrphans as removeOrphanedObjects } from './lfs/objects.ts'
export { sendObjects as sendLargeFiles, type LfsRemote } from './lfs/sending.ts'
export {
  allOf as objectsOf,
  linkedAmong as linkedLfsObjects,
  type LinkedObject,
  type RepositoryType,
} from './lfs/store.ts'
export { clearRepositoryPath } from './storages/storages.ts'
export { missingStorage, storageGone } from './storages/storages.ts'
export {
  DEFAULT_STORAGE,
  isStorage,
  pickStorage,
  repositoryPath,
  storageFolder,
  storagesOf,
  type Storage,
} from './storages/storages.ts'
export {
  checkAvatar,
  endingOf,
  isPicture,
  removeAvatar,
  replaceAvatar,
  type AvatarFile,
  type AvatarKind,
} from './uploads/avatars.ts'
export { avatarFile, cleanFileName } from './uploads/files.ts'
export { avatarParam } from './uploads/params.ts'

export const storageDomain = domain({
  name: 'storage',
  jobs: uploadsJobs,
  routes: [storageRoutes],
  crons: [...lfsCrons, ...uploadsCrons],
})
