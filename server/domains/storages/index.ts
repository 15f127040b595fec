export { freePlace } from './free-place.ts'
export { missingStorage, storageGone } from './missing.ts'
export {
  DEFAULT_STORAGE,
  isStorage,
  pickStorage,
  placeIn,
  storageFolder,
  storagesOf,
  type Storage,
} from './storages.ts'
