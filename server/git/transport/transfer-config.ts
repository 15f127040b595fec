import type { Config } from '../process/run.ts'

/** Refs that nobody outside sees. */
const INTERNAL_REFS = ['refs/keep-around', 'refs/internal']
/** Refs that can be fetched but are only written by the server. */
const READ_ONLY_REFS = ['refs/merge-requests', 'refs/pipelines', 'refs/environments']

/** For everything that is sent to or taken from clients. */
export const TRANSFER_CONFIG: Config = [
  ...INTERNAL_REFS.map((ref) => ['transfer.hideRefs', ref] as const),
  ...[...INTERNAL_REFS, ...READ_ONLY_REFS].map((ref) => ['receive.hideRefs', ref] as const),
  // Partial clones, and commits by id as CI jobs fetch them. Protocol version 2 gives any object that is asked for
  // by its full id anyway; this makes the older ones the same. An id is no secret: what must not be read must not
  // be in the repository.
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
]

/** What receive-pack offers to clients; needed where it advertises and where it receives. */
export const PUSH_OFFER: Config = [
  ['receive.advertisePushOptions', 'true'],
  ['receive.advertiseAtomic', 'true'],
]

/** Harmless faults that old histories are full of. */
const HARMLESS = ['zeroPaddedFilemode', 'badTimezone', 'missingSpaceBeforeDate', 'missingNameBeforeEmail']
/** Only warnings by default, but made to harm whoever checks them out. */
const HARMFUL = ['hasDot', 'hasDotdot', 'hasDotgit']

/** What is checked about objects that come in. */
function checks(command: 'receive' | 'fetch'): Config {
  return [
    [`${command}.fsckObjects`, 'true'],
    ...HARMLESS.map((fault) => [`${command}.fsck.${fault}`, 'ignore'] as const),
    ...HARMFUL.map((fault) => [`${command}.fsck.${fault}`, 'error'] as const),
  ]
}

/** The same where objects come in from a file. */
export const OBJECT_CHECKS = [
  ...HARMLESS.map((fault) => `${fault}=ignore`),
  ...HARMFUL.map((fault) => `${fault}=error`),
].join(',')

/** For taking from a repository that is not ours. */
export const FETCH_CHECKS: Config = checks('fetch')

/** For receiving a push. */
export const PUSH_CONFIG: Config = [
  ...TRANSFER_CONFIG,
  ...PUSH_OFFER,
  ...checks('receive'),
  ['receive.autogc', 'false'],
  // The quarantine's alternate is the repository itself, whose refs git reads anyway: it need not ask a second process
  // for them.
  ['core.alternateRefsCommand', ': none'],
  ['receive.updateServerInfo', 'false'],
]
