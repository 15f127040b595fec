export { problemOfKey } from './ssh/restrictions.ts'
export { checkedKey, type KeyInput } from './ssh/service.ts'
export {
  byFingerprint as sshKeyByFingerprint,
  byId as sshKeyById,
  insert as insertSshKey,
  remove as removeSshKey,
  update as updateSshKey,
  type SshKeyRow,
  type SshKeyView,
} from './ssh/store.ts'
export { byKeyId as gpgKeysById, type GpgKeyRow } from './gpg/store.ts'
