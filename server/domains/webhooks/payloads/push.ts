import type { Ctx } from '../../../ctx.ts'
import { changedPaths } from '../../../git/read/changed-paths.ts'
import type { Commit } from '../../../git/read/commits.ts'
import { GitError } from '../../../git/errors.ts'
import { countCommits, listCommits, type LogRange } from '../../../git/read/log.ts'
import { ZERO_ID } from '../../../git/names.ts'
import { findTag } from '../../../git/write/refs.ts'
import { branchTip, resolveCommit } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { type Project, projectById, repoOf } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import type { HookEvent } from '../recording/hook-event.ts'
import {
  commitBlockOf,
  avatarUrlOf,
  projectBlock,
  pushedRepositoryBlock,
  publicEmail,
  userBlockOf,
} from './blocks.ts'

/** Push options by name, with their values. */
interface Options {
  [name: string]: true | string | number | Options
}

/** Short names of option groups. */
const GROUPS: Readonly<Record<string, string>> = { mr: 'merge_request' }

/** Options that may be repeated. The event counts their values. */
const REPEATED = /^(ci\.variable|merge_request\.(un)?(label|assign))$/

/**
 * Returns the options of `git push -o` for events: `ci.skip` is `{"ci": {"skip": true}}`, and `mr.title=A` is
 * `{"merge_request": {"title": "A"}}`. Options without a group are left out.
 */
function pushOptions(options: readonly string[]): Options {
  const groups = new Map<string, Map<string, Options[string]>>()
  for (const option of options) {
    const [, prefix, name, value] = /^([a-z_]+)\.([a-z_]+)(?:=(.*))?$/s.exec(option) ?? []
    if (prefix === undefined || name === undefined) continue
    const group = GROUPS[prefix] ?? prefix
    const groupOptions = groups.get(group) ?? new Map<string, Options[string]>()
    const isRepeated = value !== undefined && REPEATED.test(`${group}.${name}`)
    groupOptions.set(name, isRepeated ? countValue(groupOptions.get(name), value) : (value ?? true))
    groups.set(group, groupOptions)
  }
  return Object.fromEntries([...groups].map(([group, values]) => [group, Object.fromEntries(values)]))
}

function countValue(before: Options[string] | undefined, value: string): Options {
  const counts = new Map(Object.entries(typeof before === 'object' ? before : {}))
  counts.set(value, Number(counts.get(value) ?? 0) + 1)
  return Object.fromEntries(counts)
}

/** Number of newest commits in a push event (spec administration 3.9). */
const MAX_SHOWN = 20

/** The number of commits to list. Other subscribers to pushes list the same number, so they share the result. */
const MAX_LISTED = 100

/** The maximum number of bytes of the paths of all shown commits. A larger event could not be sent. */
const MAX_PATH_BYTES = 16 * 1024 * 1024

/** A push, from its event. */
export interface Push {
  readonly project_id: number
  readonly actor_id: number | null
  readonly push_options?: readonly string[] | undefined
}

/** A branch or tag that moved. */
export interface RefMove {
  readonly ref: string
  readonly old: string | null
  readonly new: string | null
}

const BRANCH = 'refs/heads/'
const TAG = 'refs/tags/'

/** Makes the event of one branch or tag of a push (spec administration 3.9). Null if the project is deleted. */
export async function pushEvent(ctx: Ctx, push: Push, move: RefMove): Promise<HookEvent | null> {
  const project = projectById(ctx.db, push.project_id)
  if (!project) return null
  const repo = repoOf(ctx, project)
  const isTag = move.ref.startsWith(TAG)
  const kind = isTag ? 'tag_push' : 'push'
  const commitList = isTag ? NONE : await pushedCommits(ctx, project, repo, move)
  const payload = {
    object_kind: kind,
    event_name: kind,
    before: move.old ?? ZERO_ID,
    after: move.new ?? ZERO_ID,
    ref: move.ref,
    checkout_sha: move.new && (await resolveCommit(repo, move.new)),
    message: isTag && move.new !== null ? await annotation(repo, move.ref) : null,
    ...pusherOf(ctx, push.actor_id),
    project_id: project.id,
    project: projectBlock(ctx, project),
    commits: commitList.commits,
    total_commits_count: commitList.total,
    push_options: pushOptions(push.push_options ?? []),
    repository: pushedRepositoryBlock(ctx, project),
  }
  return { kind, project_id: project.id, ref: move.ref.slice(isTag ? TAG.length : BRANCH.length), payload }
}

async function annotation(repo: Repo, ref: string): Promise<string | null> {
  return (await findTag(repo, ref.slice(TAG.length)))?.message ?? null
}

function pusherOf(ctx: Ctx, id: number | null) {
  const user = id === null ? undefined : userById(ctx.db, id)
  return {
    user_id: id,
    user_name: user?.name ?? null,
    user_username: user?.username ?? null,
    user_email: user ? publicEmail(user) : null,
    user_avatar: user ? avatarUrlOf(ctx, user) : null,
  }
}

const NONE = { commits: [], total: 0 }

/** Lists the newest pushed commits of a branch, oldest first, and counts all. */
async function pushedCommits(ctx: Ctx, project: Project, repo: Repo, move: RefMove) {
  if (move.new === null) return NONE
  const range = await rangeOf(project, repo, { ...move, new: move.new })
  const listedCommits = await unlessMissing(() => listCommits(repo, { range, limit: MAX_LISTED }), [])
  const total =
    listedCommits.length < MAX_LISTED
      ? listedCommits.length
      : await unlessMissing(() => countCommits(repo, { range }), 0)
  const newest = listedCommits.slice(0, MAX_SHOWN).toReversed()
  const paths = await unlessMissing(() => pathsOf(repo, newest), new Map())
  const noPaths = { added: [], modified: [], removed: [] }
  const commits = newest.map((commit) => ({
    ...commitBlockOf(ctx, project, commit),
    ...(paths.get(commit.id) ?? noPaths),
  }))
  return { commits, total }
}

/** Lists the pushed commits. For a new branch these are the commits that the default branch does not have. */
async function rangeOf(project: Project, repo: Repo, move: RefMove & { new: string }): Promise<LogRange> {
  const isNew = move.old === null && move.ref !== BRANCH + project.default_branch
  const base = isNew ? await branchTip(repo, project.default_branch) : move.old
  return { tips: [move.new], not: base === null ? [] : [base] }
}

function pathsOf(repo: Repo, commits: readonly Commit[]) {
  const ids = commits.map((commit) => commit.id)
  return changedPaths(repo, ids, { maxBytes: MAX_PATH_BYTES })
}

/** Reads from git. Returns `fallback` if commits are missing or the list is too long. */
async function unlessMissing<T>(read: () => Promise<T>, fallback: T): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const isMissing = error instanceof GitError && error.reason === 'exit' && !error.isRepositoryMissing
    const isTooLong = error instanceof GitError && error.reason === 'output_limit'
    if (isMissing || isTooLong) return fallback
    throw error
  }
}

/** Refs that one push moved. */
export interface PushedRefs {
  readonly project_id: number
  readonly actor_id: number | null
  readonly updates: readonly {
    readonly ref: string
    readonly old: string | null
    readonly new: string | null
  }[]
}

/** Makes the single event for all refs of a push (spec administration 3.10). Null if the project is deleted. */
export function repositoryUpdateEvent(ctx: Ctx, push: PushedRefs): HookEvent | null {
  const project = projectById(ctx.db, push.project_id)
  if (!project) return null
  const user = userBlockOf(ctx, push.actor_id)
  const changes = push.updates.map((update) => ({
    before: update.old ?? ZERO_ID,
    after: update.new ?? ZERO_ID,
    ref: update.ref,
  }))
  const payload = {
    event_name: 'repository_update',
    user_id: push.actor_id,
    user_name: user?.name ?? null,
    user_email: user?.email ?? null,
    user_avatar: user?.avatar_url ?? null,
    project_id: project.id,
    project: projectBlock(ctx, project),
    changes,
    refs: [...new Set(push.updates.map((update) => update.ref))],
  }
  return { kind: 'repository_update', project_id: project.id, payload }
}
