import { GitError } from '../../../../git/errors.ts'
import { plainChanges } from '../../../../git/plain/changes.ts'
import { changedFiles, type ChangedFile } from '../../../../git/read/changed-paths.ts'
import { readCommits, type Commit } from '../../../../git/read/commits.ts'
import { listCommits } from '../../../../git/read/log.ts'
import { signedCommits } from '../../../../git/read/signed.ts'
import { listTree } from '../../../../git/read/tree.ts'
import type { Repo } from '../../../../git/types.ts'
import { listRefs, listTags, type Tag } from '../../../../git/write/refs.ts'
import { mergeCommits } from '../../../../git/write/merge.ts'
import type { Project } from '../../../projects/index.ts'
import { FileSelection } from './history-files.ts'
import { planHistory, type History, type Plan, type PlannedMergeRequest } from './history-plan.ts'
import type { WorldWriter } from './world-writer.ts'
import type { MergeRequestRow } from './store-issuables.ts'

/** Limits of commits and bytes. A larger repository is written in its current state, without its history. */
const MAX_COMMITS = 2000
const MAX_BYTES = 4 * 1024 * 1024
const MAX_PATHS = 32 * 1024 * 1024
const MAX_FILES = 20_000
/** Up to this number of commits, reading their files without an extra git process is faster. */
const MAX_PLAIN_READS = 24
const HEADS = 'refs/heads/'
const LARGE_HISTORY = `histories of more than ${MAX_COMMITS} commits or ${MAX_BYTES / 1024 / 1024} MB; only the newest commit of each branch is here`
/** The maximum difference in milliseconds between the times of a merge request and of its merge commit by the API. */
const MAX_DIFFERENCE_MS = 2000
/** The maximum number of merges that are repeated to check whether they result in the same files. */
const MAX_REPEATED_MERGES = 200

/** The git content of a project in the order in which a world creates it. */
export interface Content {
  readonly commits: ReadonlyMap<string, Commit>
  readonly changes: ReadonlyMap<string, readonly ChangedFile[]>
  readonly files: FileSelection
  readonly plan: Plan
  readonly branches: ReadonlyMap<string, string>
  readonly tags: readonly Tag[]
}

/** Reads the branches, tags and commits of a project, bounded. */
export async function readContent(
  writer: WorldWriter,
  project: Project,
  repo: Repo,
  { path, requests }: { path: string; requests: readonly MergeRequestRow[] },
): Promise<Content> {
  const refList = await listRefs(repo, 'refs/')
  const refsBelow = (prefix: string) => refList.filter(({ ref }) => ref.startsWith(prefix))
  const branches = new Map(refsBelow(HEADS).map(({ ref, oid }) => [ref.slice(HEADS.length), oid]))
  const tags = refsBelow('refs/tags/').length === 0 ? [] : await listTags(repo)
  const refs = {
    path,
    requests,
    branches,
    tags: tags.filter(({ name }) => writer.checkName(name, 'tags', path)),
    mergeRequestTips: new Set(refsBelow('refs/merge-requests/').map(({ oid }) => oid)),
  }
  return (await readHistory(writer, project, repo, refs)) ?? readCurrentState(writer, project, repo, refs)
}

interface Refs {
  readonly path: string
  readonly requests: readonly MergeRequestRow[]
  readonly branches: ReadonlyMap<string, string>
  readonly tags: readonly Tag[]
  /** The commits that refs of merge requests point to. */
  readonly mergeRequestTips: ReadonlySet<string>
}

/** All commits of the branches, tags and merge requests; undefined if there are too many. */
async function readHistory(
  writer: WorldWriter,
  project: Project,
  repo: Repo,
  { path, requests, branches, tags, mergeRequestTips }: Refs,
): Promise<Content | undefined> {
  const heads = requests.flatMap(({ head_sha }) =>
    head_sha !== null && mergeRequestTips.has(head_sha) ? [head_sha] : [],
  )
  const tips = [...new Set([...branches.values(), ...tags.flatMap(({ commit }) => commit ?? []), ...heads])]
  const listedCommits = await listCommits(repo, { range: { tips }, limit: MAX_COMMITS + 1, order: 'topo' })
  if (listedCommits.length > MAX_COMMITS) return undefined
  const commits = new Map(listedCommits.map((commit) => [commit.id, commit]))
  const changes = await changesOf(repo, listedCommits)
  if (!changes) return undefined
  const files = new FileSelection(repo)
  const part = writer.forPart()
  if ((await files.measure(changes.values(), part.omissions, { where: path })) > MAX_BYTES) return undefined
  writer.omissions.addAll(part.omissions)
  for (const id of await signedCommits(repo, [...commits.keys()]))
    writer.omissions.add('signatures of commits', `${path} ${id.slice(0, 8)}`)
  const plan = await planWithoutLostMerges({
    commits: new Map(listedCommits.map((commit) => [commit.id, commit.parent_ids])),
    main: project.default_branch,
    branches,
    requests: await planRequests(writer, repo, commits, requests),
    needsAhead: project.merge_method !== 'merge',
  })
  for (const name of plan.movedBranches)
    writer.omissions.add('branches that were set back', `${path} ${name}`)
  return { commits, changes, files, plan, branches, tags }
}

/** The files of commits; undefined if there are too many. */
async function changesOf(
  repo: Repo,
  commits: readonly Commit[],
): Promise<Map<string, ChangedFile[]> | undefined> {
  if (commits.length <= MAX_PLAIN_READS)
    return new Map(
      await Promise.all(
        commits.map(async (commit) => [commit.id, await plainChanges(repo, commit)] as const),
      ),
    )
  try {
    return await changedFiles(
      repo,
      commits.map(({ id }) => id),
      { maxBytes: MAX_PATHS },
    )
  } catch (error) {
    if (error instanceof GitError && error.reason === 'output_limit') return undefined
    throw error
  }
}

/**
 * Plans a history. A merge request that a world cannot merge in the same way counts as closed, or is left out if its
 * branch is deleted. The plan is then computed again.
 */
async function planWithoutLostMerges(history: History): Promise<Plan> {
  const plan = await planHistory(history)
  const isLost = ({ iid, state }: PlannedMergeRequest) => state === 'merged' && !plan.mergedRequests.has(iid)
  if (!history.requests.some(isLost)) return plan
  const requests = history.requests.flatMap((request): PlannedMergeRequest[] => {
    if (!isLost(request)) return [request]
    return history.branches.has(request.source) ? [{ ...request, state: 'closed', head: null }] : []
  })
  return planWithoutLostMerges({ ...history, requests })
}

async function planRequests(
  writer: WorldWriter,
  repo: Repo,
  commits: ReadonlyMap<string, Commit>,
  requests: readonly MergeRequestRow[],
): Promise<PlannedMergeRequest[]> {
  const planned: PlannedMergeRequest[] = []
  let repeatedMerges = 0
  for (const row of requests) {
    const { state, merge_commit_sha, squash_commit_sha } = row
    const mergeCommit = commits.get(merge_commit_sha ?? squash_commit_sha ?? '')
    let isExact = true
    if (state === 'merged' && mergeCommit && !isMergedByApi(writer, row, mergeCommit))
      isExact =
        squash_commit_sha === null &&
        repeatedMerges++ < MAX_REPEATED_MERGES &&
        (await isExactMerge(repo, mergeCommit))
    planned.push(toPlanned(row, isExact))
  }
  return planned
}

function toPlanned(row: MergeRequestRow, isExact: boolean): PlannedMergeRequest {
  return {
    iid: row.iid,
    source: row.source_branch,
    target: row.target_branch,
    state: row.state === 'locked' ? 'opened' : row.state,
    head: row.head_sha,
    base: row.base_sha,
    merge: row.merge_commit_sha,
    squash: row.squash_commit_sha,
    isExact,
  }
}

function isMergedByApi(
  writer: WorldWriter,
  { merged_at, merge_user_id }: MergeRequestRow,
  mergeCommit: Commit,
): boolean {
  const user = merge_user_id === null ? undefined : writer.people.get(merge_user_id)
  const difference = Math.abs(Date.parse(mergeCommit.committed_date) - Date.parse(merged_at ?? ''))
  return difference <= MAX_DIFFERENCE_MS && user?.name === mergeCommit.committer_name
}

/** True if merging the parents results in the files of the merge commit, so that it contains no manual changes. */
async function isExactMerge(repo: Repo, { parent_ids: [ours, theirs], tree_id }: Commit): Promise<boolean> {
  if (ours === undefined || theirs === undefined) return true
  const { tree, clean } = await mergeCommits(repo, ours, theirs)
  return clean && tree === tree_id
}

/** The current state of the branches, each as one commit: the main branch, and the changes of the others against it. */
async function readCurrentState(
  writer: WorldWriter,
  project: Project,
  repo: Repo,
  { path, branches, tags, requests }: Refs,
): Promise<Content> {
  writer.omissions.add(LARGE_HISTORY, path)
  const main = branches.get(project.default_branch)
  const ids = [...new Set([...(main === undefined ? [] : [main]), ...branches.values()])].slice(
    0,
    MAX_COMMITS,
  )
  const commits = new Map((await readCommits(repo, ids)).map((commit) => [commit.id, commit]))
  const isRoot = (id: string) => id === main || main === undefined
  const others = ids.filter((id) => !isRoot(id))
  const parents = new Map(others.map((id) => [id, main!]))
  const changes = await changedFiles(repo, others, { maxBytes: MAX_PATHS, against: parents })
  for (const id of ids) if (isRoot(id)) changes.set(id, await filesAt(repo, id))
  const files = new FileSelection(repo)
  // The main branch comes first, so that it is complete if the size limit is reached.
  const orderedChanges = ids.map((id) => changes.get(id) ?? [])
  await files.measure(orderedChanges, writer.omissions, { where: path, limit: MAX_BYTES })
  const planned = requests.filter(({ state }) => state !== 'merged').map((row) => toPlanned(row, true))
  const plan = await planHistory({
    commits: new Map(ids.map((id) => [id, isRoot(id) ? [] : [main!]])),
    main: project.default_branch,
    branches,
    requests: planned.map((plannedRequest) => ({ ...plannedRequest, head: null })),
    needsAhead: false,
  })
  return { commits, changes, files, plan, branches, tags }
}

async function filesAt(repo: Repo, commit: string): Promise<ChangedFile[]> {
  const listing = await listTree(repo, commit, { recursive: true, limit: MAX_FILES })
  const files = listing?.entries.filter(({ type }) => type !== 'tree') ?? []
  return files.map(({ path, mode, id }) => ({ path, mode, id, old_mode: '000000', isRemoved: false }))
}
