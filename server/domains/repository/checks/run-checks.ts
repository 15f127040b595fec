import { countObjects } from '../../../git/upkeep/repository.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { settingsOf } from '../../settings/index.ts'
import { pusherOf, type Pusher } from '../protected_refs/pusher.ts'
import { admits, protecting } from '../protected_refs/rules.ts'
import { tagProtectionsOf, type TagProtection } from '../protected_refs/tags/store.ts'
import { branchOf, tagOf, type Check, type CheckInput, type RefChange } from './check.ts'
import { respectCodeOwners } from './code-owners.ts'
import { respectLargeFiles } from './large-files.ts'
import { haveValidNames } from './names.ts'
import { respectProtection } from './protected-branches.ts'
import { respectPushRules } from './push-rules.ts'
import { isWritable } from './writable.ts'

const MIB = 1024 * 1024

const CONTACT = 'Please contact your administrator for more information.'

/**
 * A repository that is larger than the setting `repository_size_limit` takes nothing but deletions, and a push that would
 * make it larger than that is refused (spec administration 1.3).
 */
async function hasRoom({ ctx, repo, changes, source, env }: CheckInput): Promise<string | undefined> {
  const limit = (settingsOf(ctx).repository_size_limit ?? 0) * MIB
  if (limit === 0 || changes.every((change) => change.new === null)) return undefined
  const { bytes } = await countObjects(repo)
  if (bytes > limit) return exceeded(source, limit, bytes - limit)
  // Objects of a push lie apart until it is accepted.
  const added = env ? (await countObjects(repo, { env: apart(env) })).bytes : 0
  if (bytes + added <= limit) return undefined
  return `Your push to this repository would cause it to exceed the size limit of ${inWords(limit)} so it has been rejected. ${CONTACT}`
}

/** Only what came with the push is counted, not the repository beside it. */
function apart(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name !== 'GIT_ALTERNATE_OBJECT_DIRECTORIES'),
  )
}

const REFUSED = {
  push: 'Your push has been rejected',
  api: 'Your changes could not be committed',
  merge: 'This merge request cannot be merged',
  mirror: 'The mirror could not be updated',
}

function exceeded(source: CheckInput['source'], limit: number, over: number): string {
  return `${REFUSED[source]}, because this repository has exceeded its size limit of ${inWords(limit)} by ${inWords(over)}. ${CONTACT}`
}

/** Bytes as people read them: `1 MiB`, `512 KiB`. */
function inWords(bytes: number): string {
  const [size, unit] = bytes >= MIB ? [bytes / MIB, 'MiB'] : [bytes / 1024, 'KiB']
  return `${Number(size.toFixed(2))} ${unit}`
}

/** All rules, in the order in which they are asked: cheap ones first. Push rules, which look into commits, come last. */
const CHECKS: readonly Check[] = [
  isWritable,
  haveValidNames,
  keepDefaultBranch,
  respectTagProtection,
  respectProtection,
  respectCodeOwners,
  hasRoom,
  respectLargeFiles,
  respectPushRules,
]

/** Why refs must not move. */
export interface Refused {
  readonly sentence: string
  /** The push rule of the project says so: what is to be written is not acceptable, whoever writes it. */
  readonly byPushRule: boolean
}

/** The first rule that refuses, and what it says; undefined when the refs may move. */
export async function judge(input: CheckInput): Promise<Refused | undefined> {
  for (const check of CHECKS) {
    const sentence = await check(input)
    if (sentence !== undefined) return { sentence, byPushRule: check === respectPushRules }
  }
  return undefined
}

/** The sentence of the first rule that refuses; undefined when the refs may move. */
export async function refusalOf(input: CheckInput): Promise<string | undefined> {
  return (await judge(input))?.sentence
}

/** The default branch is what everything else is compared with; it stays. */
function keepDefaultBranch({ project, changes }: CheckInput): string | undefined {
  const removed = changes.some(
    (change) => change.new === null && branchOf(change.ref) === project.default_branch,
  )
  return removed ? 'The default branch of a project cannot be deleted.' : undefined
}

/** Protected tags: who may create them; nobody moves them, and maintainers delete them (spec core 4.4). */
function respectTagProtection({ ctx, project, source, changes }: CheckInput): string | undefined {
  const protections = tagProtectionsOf(ctx.db, project.id)
  if (protections.length === 0 || ctx.actor.kind === 'system') return undefined
  const pusher = pusherOf(ctx, project)
  for (const change of changes) {
    const tag = tagOf(change.ref)
    const holding = tag === undefined ? [] : protecting(protections, tag)
    const problem = holding.length === 0 ? undefined : problemOf(change, { source, holding, pusher })
    if (problem) return problem
  }
  return undefined
}

function problemOf(
  change: RefChange,
  { source, holding, pusher }: { source: string; holding: readonly TagProtection[]; pusher: Pusher },
): string | undefined {
  if (change.new === null) {
    if (!pusher.actor.is_admin && pusher.role < MAINTAINER) {
      return 'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.'
    }
    return source === 'push' ? 'You can only delete protected tags using the web interface.' : undefined
  }
  if (change.old !== null) return 'Protected tags cannot be updated.'
  const mayCreate = holding.some((one) => one.levels.some((level) => admits(level, pusher)))
  return mayCreate ? undefined : 'You are not allowed to create this tag as it is protected.'
}
