import type { Config } from '../process/run.ts'

/** The prefixes of refs that clients do not see. */
export const INTERNAL_REFS = ['refs/keep-around', 'refs/internal']
/** The prefixes of refs that clients can fetch, but only the server writes. */
export const READ_ONLY_REFS = ['refs/merge-requests', 'refs/pipelines', 'refs/environments']

/** The git configuration of every transfer to and from clients. */
export const TRANSFER_CONFIG: Config = [
  ...INTERNAL_REFS.map((ref) => ['transfer.hideRefs', ref] as const),
  ...[...INTERNAL_REFS, ...READ_ONLY_REFS].map((ref) => ['receive.hideRefs', ref] as const),
  // Clients may use partial clones, and fetch commits by id, as CI jobs do. Protocol version 2 always serves any object
  // by its full id; this setting makes the older versions equal. An id is not a secret: whoever may read a repository may
  // read all of its objects.
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
]

/** Capabilities of receive-pack, for its advertisement and for the push itself. */
export const PUSH_OFFER: Config = [
  ['receive.advertisePushOptions', 'true'],
  ['receive.advertiseAtomic', 'true'],
]

/** Faults that are harmless and common in old histories. */
const HARMLESS = ['zeroPaddedFilemode', 'badTimezone', 'missingSpaceBeforeDate', 'missingNameBeforeEmail']
/** Faults that git only warns about, but that are dangerous to users who check out the files. */
const HARMFUL = ['hasDot', 'hasDotdot', 'hasDotgit']

function checks(command: 'receive' | 'fetch'): Config {
  return [
    [`${command}.fsckObjects`, 'true'],
    ...HARMLESS.map((fault) => [`${command}.fsck.${fault}`, 'ignore'] as const),
    ...HARMFUL.map((fault) => [`${command}.fsck.${fault}`, 'error'] as const),
  ]
}

/** The same checks as an option of `index-pack`. */
export const OBJECT_CHECKS = [
  ...HARMLESS.map((fault) => `${fault}=ignore`),
  ...HARMFUL.map((fault) => `${fault}=error`),
].join(',')

/** The checks of objects that are fetched from other repositories. */
export const FETCH_CHECKS: Config = checks('fetch')

/** The git configuration for a fetch from a repository on this disk. */
export const DISK_ONLY: Config = [
  ['protocol.allow', 'never'],
  ['protocol.file.allow', 'always'],
]

/** The git configuration for receiving a push. */
export const PUSH_CONFIG: Config = [
  ...TRANSFER_CONFIG,
  ...PUSH_OFFER,
  ...checks('receive'),
  ['receive.autogc', 'false'],
  // Without this setting, git starts a second process to read the refs of the quarantine's alternate, which is the
  // repository itself.
  ['core.alternateRefsCommand', ': none'],
  ['receive.updateServerInfo', 'false'],
]
