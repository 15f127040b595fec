export {
  DEFAULT_STORAGE,
  isStorage,
  pickStorage,
  placeIn,
  storageFolder,
  storagesOf,
  type Storage,
} from './storages.ts'
