import { withoutEnd } from '../../lib/text/trim.ts'
import { storageProblem } from '../../lib/files/storage-problem.ts'
import { git, option, refPrefix, sha } from '../args.ts'
import { GitError, GitInputError, GitRefError } from '../errors.ts'
import { identityLine, isoTime } from './identity.ts'
import type { Identity } from './identity.ts'
import { moveLooseRef } from './loose-ref.ts'
import { ZERO_ID, isObjectId, isRefName } from '../names.ts'
import { refFields } from '../parse.ts'
import { cachedUntilRefsChange } from '../ref-cache.ts'
import { readRefFiles } from '../read/ref-files.ts'
import { findObject } from '../read/revisions.ts'
import { run } from '../process/run.ts'
import type { Config } from '../process/run.ts'
import type { RefValue, Repo } from '../types.ts'

export interface Branch {
  /** The short name. */
  readonly name: string
  readonly ref: string
  /** The id of the commit that the branch points to. */
  readonly target: string
}

export interface Tag {
  readonly name: string
  readonly ref: string
  /** The id of the tag object of an annotated tag; for other tags, of the commit. */
  readonly target: string
  /** The id of the tagged commit; null when the tag points to a tree or blob. */
  readonly commit: string | null
  readonly annotated: boolean
  /** The message of an annotated tag without its signature; null for a lightweight tag. */
  readonly message: string | null
  readonly signature: string | null
  /** The time of an annotated tag, ISO 8601. */
  readonly created_at: string | null
}

export interface RefUpdate {
  readonly ref: string
  /** The expected old value. Null: the ref must not exist. Undefined: any value. */
  readonly old?: string | null
  /** The new value; null deletes the ref. */
  readonly new: string | null
}

export type RefOrder = 'name' | 'updated_asc' | 'updated_desc' | 'version'

const SORT_KEYS: Readonly<Record<RefOrder, string>> = {
  name: 'refname',
  updated_asc: 'creatordate',
  updated_desc: '-creatordate',
  version: 'version:refname',
}

const MAX_LIST_BYTES = 256 * 1024 * 1024

const REF = refFields({ ref: '%(refname)', oid: '%(objectname)' })

const TAG = refFields({
  ref: '%(refname)',
  target: '%(objectname)',
  type: '%(objecttype)',
  peeled: '%(*objectname)',
  peeled_type: '%(*objecttype)',
  // Without the condition, git would print the message of the commit for a lightweight tag.
  message: '%(if)%(*objectname)%(then)%(contents)%(end)',
  signature: '%(if)%(*objectname)%(then)%(contents:signature)%(end)',
  created_at: '%(taggerdate:raw)',
})

/** All branches, by default sorted by name. */
export async function listBranches(repo: Repo, options: { order?: RefOrder } = {}): Promise<Branch[]> {
  const rows = await listRefs(repo, 'refs/heads/', options)
  return rows.map((row) => ({ name: row.ref.slice('refs/heads/'.length), ref: row.ref, target: row.oid }))
}

/** All tags, by default sorted by name, with the message of annotated ones. */
export async function listTags(repo: Repo, options: { order?: RefOrder } = {}): Promise<Tag[]> {
  return readTags(repo, 'refs/tags/', options.order ?? 'name')
}

/** One tag by its short name, or null. */
export async function findTag(repo: Repo, name: string): Promise<Tag | null> {
  const full = `refs/tags/${name}`
  if (!isRefName(full)) return null
  const tags = await readTags(repo, full, 'name')
  return tags.find((tag) => tag.ref === full) ?? null
}

async function readTags(repo: Repo, prefix: string, order: RefOrder): Promise<Tag[]> {
  const args = git`for-each-ref ${option('--sort', SORT_KEYS[order])} ${option('--format', TAG.format)} ${refPrefix(prefix)}`
  const { stdout } = await run(repo, 'tags.list', args, { maxBytes: MAX_LIST_BYTES })
  return Promise.all(TAG.parse(stdout).map((row) => toTag(repo, row)))
}

async function toTag(repo: Repo, row: ReturnType<typeof TAG.parse>[number]): Promise<Tag> {
  const isAnnotated = row.type === 'tag'
  const tagged = isAnnotated ? { id: row.peeled, type: row.peeled_type } : { id: row.target, type: row.type }
  // For a tag of a tag, git before 2.45 only resolves the first tag.
  const commit = tagged.type === 'tag' ? await findObject(repo, tagged.id, 'commit') : null
  return {
    name: row.ref.slice('refs/tags/'.length),
    ref: row.ref,
    target: row.target,
    commit: tagged.type === 'commit' ? tagged.id : (commit?.oid ?? null),
    annotated: isAnnotated,
    message: isAnnotated ? withoutSignature(row.message, row.signature) : null,
    signature: row.signature || null,
    created_at: row.created_at ? isoTime(row.created_at) : null,
  }
}

function withoutSignature(message: string, signature: string): string {
  const text = signature !== '' && message.endsWith(signature) ? message.slice(0, -signature.length) : message
  return withoutEnd(text, '\n')
}

/** All refs below a prefix such as `refs/heads/` or `refs/merge-requests/`, with their object ids. */
export async function listRefs(
  repo: Repo,
  prefix: string,
  options: { order?: RefOrder } = {},
): Promise<RefValue[]> {
  const { order = 'name' } = options
  const args = git`for-each-ref ${option('--sort', SORT_KEYS[order])} ${option('--format', REF.format)} ${refPrefix(prefix)}`
  const rows = await cachedUntilRefsChange(repo, `list ${order} ${prefix}`, async () => {
    const read = order === 'name' ? readRefFiles(repo.gitDir, prefix) : undefined
    if (read !== undefined) return { content: read, bytes: 200 * read.length + 200 }
    const { stdout } = await run(repo, 'refs.list', args, { maxBytes: MAX_LIST_BYTES })
    return { content: REF.parse(stdout), bytes: 2 * stdout.length + 200 }
  })
  return [...rows]
}

/** The full names of the branches and tags that contain the commit. */
export async function refsContaining(
  repo: Repo,
  commit: string,
  prefixes: readonly string[] = ['refs/heads/', 'refs/tags/'],
): Promise<string[]> {
  const args = git`for-each-ref --contains=${sha(commit)} ${option('--format', '%(refname)')} ${prefixes.map(refPrefix)}`
  const { stdout } = await run(repo, 'refs.containing', args, { maxBytes: MAX_LIST_BYTES })
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}

/** The short names of the branches that are merged into `commit`. */
export async function mergedBranches(repo: Repo, commit: string): Promise<Set<string>> {
  const args = git`for-each-ref --merged=${sha(commit)} ${option('--format', '%(refname)')} refs/heads/`
  const { stdout } = await run(repo, 'branches.merged', args, { maxBytes: MAX_LIST_BYTES })
  const lines = stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
  return new Set(lines.map((line) => line.slice('refs/heads/'.length)))
}

/**
 * Changes refs in one transaction. Throws GitRefError when a ref does not have its expected old value or cannot be
 * written, GitInputError for invalid names and ids. `unsynced` does not wait for the disk, which takes minutes for
 * thousands of refs; call `packRefs` afterwards.
 */
export async function updateRefs(
  repo: Repo,
  updates: readonly RefUpdate[],
  options: { env?: Readonly<Record<string, string>>; unsynced?: boolean } = {},
): Promise<void> {
  if (updates.length === 0) return
  const { env, unsynced } = options
  if (env === undefined && !unsynced && (await moveSingleRef(repo, updates))) return
  const input = ['start\0', ...updates.map(command), 'prepare\0', 'commit\0'].join('')
  try {
    const config: Config = unsynced ? [['core.fsync', 'objects,derived-metadata']] : []
    await repo.git.gates.refs.pass(() =>
      run(repo, 'refs.update', git`update-ref --stdin -z`, { input, env, config }),
    )
  } catch (error) {
    throw error instanceof GitError ? (refProblem(error, updates) ?? error) : error
  }
}

/** Moves or creates a single ref without git. Returns false if git has to do it. */
async function moveSingleRef(repo: Repo, updates: readonly RefUpdate[]): Promise<boolean> {
  const [{ ref, old, new: to }, ...others] = updates as [RefUpdate, ...RefUpdate[]]
  if (others.length > 0 || old === undefined || to === null) return false
  return repo.git.gates.refs.pass(() => moveLooseRef(repo, { ref, old, to }))
}

/** Writes all refs into one file, which is on disk when the promise resolves. */
export async function packRefs(repo: Repo): Promise<void> {
  await repo.git.gates.refs.pass(() => run(repo, 'repository.pack_refs', git`pack-refs --all`))
  // See collect-garbage.ts.
  await repo.git.catFiles.closeRepo(repo)
}

function command(update: RefUpdate): string {
  if (!isRefName(update.ref)) throw new GitInputError('The ref name is invalid.')
  for (const id of [update.old, update.new]) {
    if (id !== null && id !== undefined && !isObjectId(id))
      throw new GitInputError('The object id is invalid.')
  }
  const old = update.old === undefined ? '' : (update.old ?? ZERO_ID)
  if (update.new !== null) return `update ${update.ref}\0${update.new}\0${old}\0`
  if (update.old === null) throw new GitInputError('A ref that must not exist cannot be deleted.')
  return `delete ${update.ref}\0${old}\0`
}

/** The problems that git's messages describe. They are English because of LC_ALL=C. */
const PROBLEMS: ReadonlyArray<readonly [RegExp, GitRefError['problem']]> = [
  [/reference already exists/, 'exists'],
  [/unable to resolve reference/, 'missing'],
  [/is at [0-9a-f]+ but expected/, 'changed'],
  [/cannot process '[^']*' and '[^']*' at the same time/, 'name_conflict'],
  [/'[^']*' exists; cannot create/, 'name_conflict'],
  [/there are still refs under/, 'name_conflict'],
  [/there is a non-empty directory/, 'name_conflict'],
  [/nonexistent object|missing object|trying to write non-commit object/, 'missing_object'],
  [/Unable to create '[^']*\.lock'/, 'locked'],
]

function refProblem(error: GitError, updates: readonly RefUpdate[]): GitRefError | null {
  if (storageProblem(error)) return null
  const match = PROBLEMS.find(([pattern]) => pattern.test(error.stderr))
  if (match === undefined) return null
  const name = /cannot (?:lock|update) ref '([^']*)'/.exec(error.stderr)?.[1] ?? updates[0]?.ref ?? null
  return new GitRefError(match[1], name, MESSAGES[match[1]])
}

const MESSAGES: Readonly<Record<GitRefError['problem'], string>> = {
  changed: 'The ref was changed by someone else in the meantime.',
  exists: 'The ref already exists.',
  missing: 'The ref does not exist.',
  name_conflict: 'The name conflicts with another ref.',
  missing_object: 'The object for the ref does not exist or is not a commit.',
  locked: 'Another process is writing the ref.',
}

/** Creates an annotated tag object and returns its id. The caller has to point a ref to it. */
export async function writeTagObject(
  repo: Repo,
  tag: { name: string; target: string; message: string; tagger: Identity },
): Promise<string> {
  if (!isObjectId(tag.target)) throw new GitInputError('The object id is invalid.')
  const object = await repo.git.catFiles.info(repo, tag.target)
  if (object === null) throw new GitInputError('The object to tag does not exist.')
  const head = `object ${object.oid}\ntype ${object.type}\ntag ${tag.name}\ntagger ${identityLine(tag.tagger)}\n\n`
  const message = tag.message.endsWith('\n') ? tag.message : `${tag.message}\n`
  const { stdout } = await run(repo, 'tags.write', git`mktag --strict`, { input: head + message })
  return stdout.toString('utf8').trim()
}

/** The name of the ref that keeps a commit from being pruned. Clients do not see it. */
export function keepAroundRef(commit: string): string {
  if (!isObjectId(commit)) throw new GitInputError('The object id is invalid.')
  return `refs/keep-around/${commit}`
}

/** Keeps commits from being pruned when no branch or tag contains them any more. It may be repeated. */
export async function keepAround(repo: Repo, commits: readonly string[]): Promise<void> {
  await updateRefs(
    repo,
    [...new Set(commits)].map((commit) => ({ ref: keepAroundRef(commit), new: commit })),
  )
}
