import { countObjects } from '../../../git/upkeep/repository.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { settingsOf } from '../../settings/index.ts'
import {
  pusherOf,
  type Pusher,
  admits,
  protecting,
  needsCodeOwners,
  allows,
  allowsForce,
} from '../protected_refs/rules.ts'
import { tagProtectionsOf, type TagProtection } from '../protected_refs/tags/store.ts'
import { branchOf, tagOf, type Check, type CheckInput, type RefChange } from './check.ts'
import { checkLargeFiles } from './large-files.ts'
import { checkPushRules } from './push-rules.ts'
import { isBranchName, isObjectId, isTagName } from '../../../git/names.ts'
import { listChanges } from '../../../git/write/changes.ts'
import { matchingPatterns, readOwners } from '../code_owners/service.ts'
import { protectionsOf, defaultBranchProtection, type Protection } from '../../projects/index.ts'
import { isAncestor } from '../../../git/read/graph.ts'
import { refsContaining } from '../../../git/write/refs.ts'

/** Checks protected branches: who may push, force-push, create and delete them (spec core 4.4). */
async function checkProtection(input: CheckInput): Promise<string | undefined> {
  const { ctx, project, changes } = input
  if (ctx.actor.kind === 'system') return undefined
  const protections = protectionsOf(ctx.db, project.id)
  const pusher = pusherOf(ctx, project)
  for (const change of changes) {
    const branch = branchOf(change.ref)
    if (branch === undefined) continue
    const matching = protecting(protections, branch)
    const problem =
      matching.length === 0
        ? firstPushProblem(input, pusher)
        : await protectionProblem(input, change, matching, pusher)
    if (problem) return problem
  }
  return undefined
}

/**
 * The values of `default_branch_protection` with which only maintainers may do the first push. With 4, developers may
 * too.
 */
const CLOSED_TO_DEVELOPERS: ReadonlySet<number> = new Set([2, 3])

/** Checks the first push, which creates the default branch. It is protected from its first commit on (spec core 2.1). */
function firstPushProblem({ ctx, project }: CheckInput, { actor, role }: Pusher): string | undefined {
  if (!project.empty_repo || actor.is_admin || role >= MAINTAINER) return undefined
  if (!CLOSED_TO_DEVELOPERS.has(defaultBranchProtection(ctx, project))) return undefined
  return 'A default branch (e.g. main) does not yet exist for this project. Ask a project Owner or Maintainer to create a default branch: you are not allowed to push code to protected branches.'
}

async function protectionProblem(
  input: CheckInput,
  change: RefChange,
  matching: readonly Protection[],
  pusher: Pusher,
): Promise<string | undefined> {
  if (change.new === null) return deletionProblem(input, pusher)
  // A merge checks the access level for merging itself, and its commit is based on the current tip.
  if (input.source === 'merge') return undefined
  if (change.old !== null && !allowsForce(matching) && (await isForced(input, change))) {
    return 'You are not allowed to force push code to a protected branch on this project.'
  }
  if (allows(matching, 'push', pusher)) return undefined
  return change.old === null
    ? creationProblem(input, change.new, matching, pusher)
    : 'You are not allowed to push code to protected branches on this project.'
}

/** Users who may merge but not push may create a protected branch only from a commit of a protected branch. */
async function creationProblem(
  { ctx, project, repo, source }: CheckInput,
  commit: string,
  matching: readonly Protection[],
  pusher: Pusher,
): Promise<string | undefined> {
  if (!allows(matching, 'merge', pusher)) {
    return 'You are not allowed to create protected branches on this project.'
  }
  if (source === 'push') {
    return 'You can only create protected branches using the web interface and API.'
  }
  const protections = protectionsOf(ctx.db, project.id)
  const names = (await refsContaining(repo, commit, ['refs/heads/'])).map((ref) => branchOf(ref)!)
  return names.some((name) => protecting(protections, name).length > 0)
    ? undefined
    : 'You can only use an existing protected branch ref as the basis of a new protected branch.'
}

function deletionProblem({ source }: CheckInput, { actor, role }: Pusher): string | undefined {
  if (!actor.is_admin && role < MAINTAINER) {
    return 'You are not allowed to delete protected branches from this project. Only a maintainer or owner can.'
  }
  // A deletion by push is too easy to type by accident. The window and the API require the branch name.
  return source === 'push' ? 'You can only delete protected branches using the web interface.' : undefined
}

async function isForced({ repo, env }: CheckInput, change: RefChange): Promise<boolean> {
  return !(await isAncestor(repo, change.old!, change.new!, env ? { env } : {}))
}

/** The error message during a storage move (spec administration 9). */
export const READ_ONLY = 'The repository is temporarily read-only. Please try again later.'

/** Returns the error message for a project that accepts no writes; undefined if it accepts them. */
export function readOnlyProblem(project: {
  archived: boolean
  repository_read_only: boolean
}): string | undefined {
  if (project.archived) return 'This project is archived and cannot be changed.'
  return project.repository_read_only ? READ_ONLY : undefined
}

/** Refuses changes of archived projects, of repositories in a storage move and of unfinished imports. */
export function checkWritable({ project }: CheckInput): string | undefined {
  if (project.repository_state !== 'ready')
    return 'The repository is still being created. Please try again in a moment.'
  return readOnlyProblem(project)
}

/** The maximum number of patterns in the error message. */
const MAX_PATTERNS = 20

/**
 * Refuses changes of owned files on a branch that requires code owner approval, except by merge request (spec
 * administration 12.4). The CODEOWNERS file of the branch before the change applies.
 */
export async function checkCodeOwners(input: CheckInput): Promise<string | undefined> {
  const { ctx, project, repo, source, changes } = input
  if (source === 'merge' || ctx.actor.kind === 'system') return undefined
  const protections = protectionsOf(ctx.db, project.id)
  if (!needsCodeOwners(protections)) return undefined
  for (const change of changes) {
    const branch = branchOf(change.ref)
    // A new branch has no CODEOWNERS file yet.
    if (branch === undefined || change.old === null || change.new === null) continue
    if (!needsCodeOwners(protecting(protections, branch))) continue
    const owners = await readOwners(repo, change.old)
    if (!owners) continue
    const patterns = await matchingPatterns(owners.file, await pathsOf(input, change))
    if (patterns.length > 0) return codeOwnersMessage(patterns)
  }
  return undefined
}

/**
 * Returns the paths that the change touches: those of the request if its commit does not exist yet, otherwise of the diff.
 */
async function pathsOf({ repo, env, paths }: CheckInput, change: RefChange): Promise<readonly string[]> {
  if (paths !== undefined) return paths
  const changes = await listChanges(
    repo,
    { from: change.old, to: change.new! },
    { renames: false, ...(env ? { env } : {}) },
  )
  return changes.flatMap((entry) => [entry.old_path, entry.new_path])
}

function codeOwnersMessage(patterns: readonly string[]): string {
  const lines = patterns.slice(0, MAX_PATTERNS).map((pattern) => `- ${pattern}`)
  const more = patterns.length > MAX_PATTERNS ? [`- and ${patterns.length - MAX_PATTERNS} more`] : []
  return [
    'Pushes to protected branches that contain changes to files that',
    'match patterns defined in `CODEOWNERS` are disabled for',
    'this project. Please submit these changes via a merge request.',
    '',
    'The following pattern(s) from `CODEOWNERS` were matched:',
    ...lines,
    ...more,
    '',
  ].join('\n')
}

const NOTES = 'refs/notes/'

/** Refuses changes of refs other than branches, tags and git notes, and invalid or ambiguous names. */
export function checkRefNames({ changes }: CheckInput): string | undefined {
  for (const change of changes) {
    const problem = nameProblem(change)
    if (problem) return problem
  }
  return undefined
}

function nameProblem(change: RefChange): string | undefined {
  const branch = branchOf(change.ref)
  const tag = tagOf(change.ref)
  if (branch === undefined && tag === undefined) {
    const isNotes = change.ref.startsWith(NOTES) && isBranchName(change.ref.slice(NOTES.length))
    return isNotes ? undefined : `Only branches, tags and notes can be changed, not ${change.ref}.`
  }
  // Refs with an invalid name may be deleted.
  if (change.new === null) return undefined
  if (branch !== undefined) return branchProblem(branch)
  return isTagName(tag!) ? undefined : `${tag} is not a valid name for a tag.`
}

/** Returns the reason why a new branch may not have the name; undefined if it may. */
export function branchProblem(name: string): string | undefined {
  if (!isBranchName(name)) return `${name} is not a valid name for a branch.`
  if (isObjectId(name)) return 'A branch cannot have the name of a commit, 40 or 64 hexadecimal digits.'
  return undefined
}

const MIB = 1024 * 1024

const CONTACT = 'Please contact your administrator for more information.'

/**
 * Refuses changes other than deletions if the repository exceeds the setting `repository_size_limit`, and a push that
 * would exceed it (spec administration 1.3).
 */
async function checkSizeLimit({ ctx, repo, changes, source, env }: CheckInput): Promise<string | undefined> {
  const limit = (settingsOf(ctx).repository_size_limit ?? 0) * MIB
  if (limit === 0 || changes.every((change) => change.new === null)) return undefined
  const { bytes } = await countObjects(repo)
  if (bytes > limit) return exceeded(source, limit, bytes - limit)
  // The objects of a push are in quarantine until it is accepted.
  const added = env ? (await countObjects(repo, { env: withoutAlternates(env) })).bytes : 0
  if (bytes + added <= limit) return undefined
  return `Your push to this repository would cause it to exceed the size limit of ${formatBytes(limit)} so it has been rejected. ${CONTACT}`
}

/** The environment of a push without the objects of the repository, so that git counts only the pushed objects. */
function withoutAlternates(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name !== 'GIT_ALTERNATE_OBJECT_DIRECTORIES'),
  )
}

const REFUSALS = {
  push: 'Your push has been rejected',
  api: 'Your changes could not be committed',
  merge: 'This merge request cannot be merged',
  mirror: 'The mirror could not be updated',
}

function exceeded(source: CheckInput['source'], limit: number, over: number): string {
  return `${REFUSALS[source]}, because this repository has exceeded its size limit of ${formatBytes(limit)} by ${formatBytes(over)}. ${CONTACT}`
}

/** Formats a number of bytes for users: `1 MiB`, `512 KiB`. */
export function formatBytes(bytes: number): string {
  const [size, unit] = bytes >= MIB ? [bytes / MIB, 'MiB'] : [bytes / 1024, 'KiB']
  return `${Number(size.toFixed(2))} ${unit}`
}

/** All checks, fast ones first. Push rules read commits, so they are last. */
const CHECKS: readonly Check[] = [
  checkWritable,
  checkRefNames,
  checkDefaultBranch,
  checkTagProtection,
  checkProtection,
  checkCodeOwners,
  checkSizeLimit,
  checkLargeFiles,
  checkPushRules,
]

/** The reason why refs must not move. */
export interface CheckRefusal {
  readonly sentence: string
  /** True if the push rule of the project refuses the content, independent of the actor's permissions. */
  readonly byPushRule: boolean
}

/** Runs the checks and returns the first refusal; undefined if the refs may move. */
export async function runChecks(input: CheckInput): Promise<CheckRefusal | undefined> {
  for (const check of CHECKS) {
    const sentence = await check(input)
    if (sentence !== undefined) return { sentence, byPushRule: check === checkPushRules }
  }
  return undefined
}

/** Returns the message of the first refusal; undefined if the refs may move. */
export async function refusalOf(input: CheckInput): Promise<string | undefined> {
  return (await runChecks(input))?.sentence
}

/** Refuses to delete the default branch. */
function checkDefaultBranch({ project, changes }: CheckInput): string | undefined {
  const removed = changes.some(
    (change) => change.new === null && branchOf(change.ref) === project.default_branch,
  )
  return removed ? 'The default branch of a project cannot be deleted.' : undefined
}

/** Checks who may create protected tags. No one may move them, and maintainers may delete them (spec core 4.4). */
function checkTagProtection({ ctx, project, source, changes }: CheckInput): string | undefined {
  if (ctx.actor.kind === 'system' || changes.every((change) => tagOf(change.ref) === undefined))
    return undefined
  const protections = tagProtectionsOf(ctx.db, project.id)
  if (protections.length === 0) return undefined
  const pusher = pusherOf(ctx, project)
  for (const change of changes) {
    const tag = tagOf(change.ref)
    const matching = tag === undefined ? [] : protecting(protections, tag)
    const problem = matching.length === 0 ? undefined : tagProblem(change, { source, matching, pusher })
    if (problem) return problem
  }
  return undefined
}

function tagProblem(
  change: RefChange,
  { source, matching, pusher }: { source: string; matching: readonly TagProtection[]; pusher: Pusher },
): string | undefined {
  if (change.new === null) {
    if (!pusher.actor.is_admin && pusher.role < MAINTAINER) {
      return 'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.'
    }
    return source === 'push' ? 'You can only delete protected tags using the web interface.' : undefined
  }
  if (change.old !== null) return 'Protected tags cannot be updated.'
  const mayCreate = matching.some((protection) => protection.levels.some((level) => admits(level, pusher)))
  return mayCreate ? undefined : 'You are not allowed to create this tag as it is protected.'
}
