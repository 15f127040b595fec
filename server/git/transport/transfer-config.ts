import type { Config } from '../process/run.ts'

/** Refs that clients do not see. */
export const INTERNAL_REFS = ['refs/keep-around', 'refs/internal']
/** Refs that clients can fetch and only the server writes. */
export const READ_ONLY_REFS = ['refs/merge-requests', 'refs/pipelines', 'refs/environments']

/** Settings of every transfer to and from clients. */
export const TRANSFER_CONFIG: Config = [
  ...INTERNAL_REFS.map((ref) => ['transfer.hideRefs', ref] as const),
  ...[...INTERNAL_REFS, ...READ_ONLY_REFS].map((ref) => ['receive.hideRefs', ref] as const),
  // Allows partial clones, and commits by id as CI jobs fetch them. Protocol version 2 serves any object by its full id
  // anyway; this makes the older versions equal. An id is no secret: nothing may be in the repository that its readers
  // must not read.
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
]

/** Capabilities of receive-pack, for its advertisement and for the push itself. */
export const PUSH_OFFER: Config = [
  ['receive.advertisePushOptions', 'true'],
  ['receive.advertiseAtomic', 'true'],
]

/** Harmless faults that are common in old histories. */
const HARMLESS = ['zeroPaddedFilemode', 'badTimezone', 'missingSpaceBeforeDate', 'missingNameBeforeEmail']
/** Only warnings in git, but dangerous to users who check them out. */
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

/** Checks of objects that are fetched from other repositories. */
export const FETCH_CHECKS: Config = checks('fetch')

/** Settings for receiving a push. */
export const PUSH_CONFIG: Config = [
  ...TRANSFER_CONFIG,
  ...PUSH_OFFER,
  ...checks('receive'),
  ['receive.autogc', 'false'],
  // The quarantine's alternate is the repository itself, so git needs no second process to read its refs.
  ['core.alternateRefsCommand', ': none'],
  ['receive.updateServerInfo', 'false'],
]
