import { listTree } from '../../../../git/read/tree.ts'
import type { Commit } from '../../../../git/read/commits.ts'
import { listRefs } from '../../../../git/write/refs.ts'
import { listCommits } from '../../../../git/read/log.ts'
import { branchTip, refTarget, resolveCommit } from '../../../../git/read/revisions.ts'
import { createCommit, type CommitAction } from '../../../../git/write/commit.ts'
import type { Identity } from '../../../../git/write/identity.ts'
import { GitActionError } from '../../../../git/errors.ts'
import type { Repo } from '../../../../git/types.ts'
import { Failure } from '../../../../lib/fail.ts'
import { inRepository, type Project } from '../../../projects/index.ts'
import { moveRefs } from '../../../repository/index.ts'
import type { WorldCommit, WorldFile, WorldProject } from '../model/schema.ts'
import { type ApplyRun, timeOf } from './apply-run.ts'

/** The maximum number of commits that are read to compare a repository with the world. */
const MAX_COMMITS = 20_000

/** The merge requests of a project, as its history needs them. */
export interface MergeRequestsOfHistory {
  /** Merges the merge request with this title or IID. Returns the new tip of its target branch. */
  mergeAt(name: string | number): Promise<string | null>
  /** The target branch of a merge request, if it is not the default branch. */
  targetOf(name: string | number): string | undefined
}

/** The commits of a project while its world is applied. */
export class History {
  readonly #run: ApplyRun
  readonly #project: Project
  readonly #world: WorldProject
  readonly #main: string
  /** New tips of branches. The refs have not moved to them yet. */
  readonly #tips = new Map<string, { sha: string; entry: WorldCommit }>()
  readonly #ids = new Map<string, string>()
  /** The tips of branches at this point of the world's history. Refs in the repository may be ahead. */
  readonly #reached = new Map<string, string>()
  readonly #paths = new Map<string, ReadonlySet<string>>()
  /** True until the first commits of a new project arrive: it has no refs to read. */
  #isEmpty: boolean
  /** The commits of the repository, by message. */
  #byMessage: Map<string, Commit[]> | undefined

  constructor(run: ApplyRun, project: Project, world: WorldProject, isNew: boolean) {
    this.#run = run
    this.#project = project
    this.#world = world
    this.#isEmpty = isNew && project.empty_repo
    this.#main = world.default_branch ?? project.default_branch ?? 'main'
  }

  get main(): string {
    return this.#main
  }

  /** Creates missing commits. Before a merge, the refs move to the commits so far. */
  async apply(merges: MergeRequestsOfHistory): Promise<void> {
    const { files, commits = [] } = this.#world
    const first: WorldCommit | undefined = files && {
      message: 'Initial commit',
      files,
      at: this.#world.at,
      author: this.#world.creator,
    }
    if (first && files) this.#run.positions.copy(files, first)
    const all = first ? [first, ...commits] : commits
    if (all.length === 0) return
    await inRepository(this.#run.ctx, this.#project, async (repo) => {
      for (const entry of all) {
        if (entry.merge === undefined)
          await this.#run.step(entry, `the commit "${subjectOf(entry)}"`, () => this.#commit(repo, entry))
        else {
          await this.#publish()
          const sha = await merges.mergeAt(entry.merge)
          if (sha === null) continue
          this.#reached.set(merges.targetOf(entry.merge) ?? this.#main, sha)
          if (entry.id) this.#ids.set(entry.id, sha)
        }
      }
    })
    await this.#publish()
  }

  /** The commit that a name refers to: an ID of the world, a branch or a tag. */
  async find(repo: Repo, name: string): Promise<string | null> {
    const sha = this.#tips.get(name)?.sha ?? this.#ids.get(name)
    if (sha !== undefined) return sha
    if (this.#isEmpty) return null
    return (
      (await branchTip(repo, name)) ??
      ((await refTarget(repo, `refs/tags/${name}`)) && (await resolveCommit(repo, `refs/tags/${name}`)))
    )
  }

  idOf(name: string): string | undefined {
    return this.#ids.get(name)
  }

  async #commit(repo: Repo, entry: WorldCommit): Promise<void> {
    const branch = entry.branch ?? this.#main
    const message = entry.message ?? ''
    const existing = matchingCommit((await this.#commitsByMessage(repo)).get(message.trim()), entry)
    if (existing !== undefined) {
      if (entry.id) this.#ids.set(entry.id, existing)
      this.#reached.set(branch, existing)
      return this.#run.countExisting('commits')
    }
    const parents = await this.#parentsOf(repo, branch, entry)
    const [base = null] = parents
    const paths = new Set(base === null ? [] : await this.#pathsOf(repo, base))
    const actions = Object.entries(entry.files ?? {}).map(([path, file]) => actionOf(path, file, paths))
    const author = this.#identity(entry)
    const commit = { parents, message, author, committer: author }
    let sha: string
    try {
      sha = (await createCommit(repo, base, actions, commit)).id
    } catch (error) {
      throw error instanceof GitActionError ? new Failure('bad_request', error.message) : error
    }
    this.#paths.set(sha, paths)
    this.#tips.set(branch, { sha, entry })
    this.#reached.set(branch, sha)
    if (entry.id) this.#ids.set(entry.id, sha)
    this.#run.countCreated('commits')
  }

  /**
   * A commit continues its own branch at its ref. Other branches are taken at their tips in the world's history,
   * because their refs may be ahead after a run that was interrupted.
   */
  async #parentsOf(repo: Repo, branch: string, { from, parents }: WorldCommit): Promise<string[]> {
    const names = parents ?? [(await this.find(repo, branch)) === null ? (from ?? this.#main) : branch]
    const parentIds = await Promise.all(
      names.map((name) => (name === branch ? undefined : this.#reached.get(name)) ?? this.find(repo, name)),
    )
    if (parentIds.includes(null) && (parents || from))
      throw new Failure('bad_request', `there is no commit ${names.join(', ')}`)
    return parentIds.filter((sha) => sha !== null)
  }

  async #pathsOf(repo: Repo, commit: string): Promise<ReadonlySet<string>> {
    const paths = this.#paths.get(commit)
    if (paths) return paths
    const listing = await listTree(repo, commit, { recursive: true })
    return new Set(listing?.entries.filter(({ type }) => type !== 'tree').map(({ path }) => path))
  }

  async #commitsByMessage(repo: Repo): Promise<Map<string, Commit[]>> {
    if (this.#byMessage) return this.#byMessage
    this.#byMessage = new Map()
    if (this.#project.empty_repo) return this.#byMessage
    for (const commit of (await this.#commits(repo)).toReversed()) {
      const candidates = this.#byMessage.get(commit.message.trim())
      if (candidates) candidates.push(commit)
      else this.#byMessage.set(commit.message.trim(), [commit])
    }
    return this.#byMessage
  }

  /** The commits of all branches and tags, and those that only merge requests keep. */
  async #commits(repo: Repo): Promise<Commit[]> {
    const commits = await listCommits(repo, { limit: MAX_COMMITS })
    if (!this.#world.merge_requests) return commits
    const ids = new Set(commits.map(({ id }) => id))
    const refs = await listRefs(repo, 'refs/merge-requests/')
    const heads = refs.filter(({ ref }) => ref.endsWith('/head')).map(({ oid }) => oid)
    const tips = [...new Set(heads)].filter((id) => !ids.has(id))
    const others = await listCommits(repo, { range: { tips }, limit: MAX_COMMITS })
    return [...commits, ...others.filter(({ id }) => !ids.has(id))]
  }

  #identity({ author, at }: WorldCommit): Identity {
    const { ctx } = this.#run
    const date = new Date(at === undefined ? ctx.now : timeOf(at, ctx.now))
    const [, name, email] = /^(.*?)\s*<(.+)>$/.exec(author ?? '') ?? []
    if (name !== undefined && email !== undefined) return { name, email, date }
    const actor = author === undefined ? ctx.actor : this.#run.actor(author)
    if (actor.kind !== 'user') return { name: 'Administrator', email: 'admin@example.com', date }
    return { name: actor.name, email: actor.email || `${actor.username}@example.com`, date }
  }

  /** Moves each branch to its new tip, as a push by the author of its last commit. */
  async #publish(): Promise<void> {
    const tips = [...this.#tips].toSorted(
      ([one], [two]) => Number(two === this.#main) - Number(one === this.#main),
    )
    this.#tips.clear()
    if (tips.length > 0) this.#isEmpty = false
    for (const [branch, { sha, entry }] of tips) {
      const isUser = entry.author !== undefined && !entry.author.includes('<')
      const ctx = this.#run.contextOf(isUser ? entry.author : undefined, entry.at)
      await this.#run.runBeforeWrite()
      await inRepository(ctx, this.#project, async (repo) => {
        const old = await branchTip(repo, branch)
        await moveRefs(ctx, this.#project, {
          source: 'push',
          changes: [{ ref: `refs/heads/${branch}`, old, new: sha }],
        })
      })
    }
  }
}

function subjectOf({ message = '' }: WorldCommit): string {
  return message.split('\n')[0]!.slice(0, 80)
}

/** Finds the commit of an entry among those with the same message: the one with the same time, or the oldest. */
function matchingCommit(candidates: Commit[] | undefined, { at }: WorldCommit): string | undefined {
  if (!candidates) return undefined
  const seconds = Math.floor(Date.parse(at ?? '') / 1000)
  const index = candidates.findIndex((commit) => Date.parse(commit.authored_date) / 1000 === seconds)
  return candidates.splice(Math.max(0, index), 1)[0]?.id
}

/** The change of a file. Updates `paths`. */
function actionOf(path: string, file: WorldFile, paths: Set<string>): CommitAction {
  if (file === null) {
    paths.delete(path)
    return { action: 'delete', path }
  }
  const action = paths.has(path) ? 'update' : 'create'
  paths.add(path)
  const {
    content = '',
    base64,
    executable,
  } = typeof file === 'string'
    ? { content: file }
    : (file as { content?: string; base64?: string; executable?: boolean })
  const bytes = base64 === undefined ? Buffer.from(content, 'utf8') : Buffer.from(base64, 'base64')
  return { action, path, content: bytes, ...(executable === undefined ? {} : { executable }) }
}
