export { adoptObject, addLink } from './objects.ts'
export { isStored as isLfsStored, lfsFile, NotTheObject } from './files.ts'
export { allOf as objectsOf, type LinkedObject } from './store.ts'
