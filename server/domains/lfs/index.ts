export { keepsLargeFiles } from './enabled.ts'
export { isStored as isLfsStored, lfsFile, NotTheObject, receiveObject } from './files.ts'
export {
  hasLocks,
  insertLock,
  lockById,
  lockOn,
  locksAmong,
  locksOf,
  removeLock,
  type LfsLock,
} from './locks.ts'
export { networkHasObjects, networkObjects } from './network.ts'
export {
  addLink,
  adoptObject,
  copyLinks as copyLfsLinks,
  keepObject,
  removeUnreferred as removeUnreferredObjects,
} from './objects.ts'
export { removeOrphans as removeOrphanedObjects } from './orphans.ts'
export { sendObjects as sendLargeFiles, type LfsRemote } from './sending.ts'
export {
  allOf as objectsOf,
  linkedAmong as linkedLfsObjects,
  type LinkedObject,
  type RepositoryType,
} from './store.ts'
