export { adoptObject, addLink, copyLinks as copyLfsLinks } from './objects.ts'
export { isStored as isLfsStored, lfsFile, NotTheObject } from './files.ts'
export { allOf as objectsOf, type LinkedObject } from './store.ts'
export { keepsLargeFiles } from './enabled.ts'
export { keepObject } from './objects.ts'
export { receiveObject } from './files.ts'
export { linkedAmong as linkedLfsObjects, linkedTo as lfsObjectOf, type RepositoryType } from './store.ts'
export {
  hasLocks,
  locksAmong,
  insertLock,
  lockById,
  lockOn,
  locksOf,
  removeLock,
  type LfsLock,
} from './locks.ts'
export { removeUnreferred as removeUnreferredObjects } from './objects.ts'
export { networkHasObjects, networkObjects } from './network.ts'
export { removeOrphans as removeOrphanedObjects } from './orphans.ts'
export { sendObjects as sendLargeFiles, type LfsRemote } from './sending.ts'
