import { domain } from '../../domain.ts'
import { crons as uploadsCrons, jobs as uploadsJobs } from './jobs.ts'

export {
  isLfsEnabled,
  networkHasObjects,
  networkObjects,
  allOf as objectsOf,
  linkedAmong as linkedLfsObjects,
  type LinkedObject,
  type RepositoryType,
} from './lfs/store.ts'
export {
  isStored as isLfsStored,
  lfsFile,
  LfsMismatch,
  receiveObject,
  addLink,
  adoptObject,
  copyLinks as copyLfsLinks,
  storeLfsObject,
  removeUnreferred as removeUnreferredObjects,
  removeOrphans as removeOrphanedObjects,
} from './lfs/objects.ts'
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
export { sendObjects as sendLargeFiles, type LfsRemote } from './lfs/sending.ts'
export {
  clearRepositoryPath,
  missingStorage,
  missingFolderOf,
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
  suffixOf,
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
  endpoints: () => import('./storages/routes.ts'),
  crons: uploadsCrons,
  reloads: { storage: ['admin/storages'], 'storage.chosen': ['admin/storages', 'projects/:id/storage'] },
})
