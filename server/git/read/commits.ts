import { withoutEnd } from '../../lib/text/trim.ts'
import { git, option, sha } from '../args.ts'
import { GitError } from '../errors.ts'
import { isoTime } from '../write/identity.ts'
import { logFields } from '../parse.ts'
import { readPlainCommit } from '../plain/commit.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

export interface Commit {
  readonly id: string
  readonly tree_id: string
  readonly parent_ids: readonly string[]
  /** The first paragraph of the message, in one line. */
  readonly title: string
  /** The whole message without trailing line ends. */
  readonly message: string
  readonly author_name: string
  readonly author_email: string
  /** ISO 8601 with the author's offset, such as `2024-01-01T10:00:00+02:00`. */
  readonly authored_date: string
  readonly committer_name: string
  readonly committer_email: string
  readonly committed_date: string
  /** `Key: value` lines at the end of the message, in order; keys may repeat. */
  readonly trailers: ReadonlyArray<readonly [key: string, content: string]>
}

/** The numbers of added and removed lines, and of changed files. */
export interface Stats {
  readonly additions: number
  readonly deletions: number
  readonly files: number
}

const COMMIT = logFields({
  id: '%H',
  tree_id: '%T',
  parent_ids: '%P',
  title: '%s',
  message: '%B',
  author_name: '%an',
  author_email: '%ae',
  authored_date: '%ad',
  committer_name: '%cn',
  committer_email: '%ce',
  committed_date: '%cd',
  trailers: '%(trailers:only,unfold)',
})

/**
 * The options of log commands with `-z` for the output that parseCommits reads. Dates are raw, because with a readable
 * format git fails for the whole list when one commit has a time before 1970 in its time zone.
 */
export const COMMIT_FORMAT = [option('--date', 'raw'), option('--format', COMMIT.format)]

/** Reads the output of a log command with COMMIT_FORMAT. */
export function parseCommits(output: Buffer): Commit[] {
  return COMMIT.parse(output).map((row) => ({
    ...row,
    parent_ids: row.parent_ids === '' ? [] : row.parent_ids.split(' '),
    message: withoutEnd(row.message, '\n'),
    authored_date: isoTime(row.authored_date),
    committed_date: isoTime(row.committed_date),
    trailers: parseTrailers(row.trailers),
  }))
}

/** Caches commits of the repository. Never call it for commits of a push that is not accepted yet. */
export function cacheCommits(repo: Repo, commits: readonly Commit[]): void {
  for (const commit of commits) {
    repo.git.cache.set(repo, 'commit', commit.id, {
      content: commit,
      bytes: 1500 + 2 * commit.message.length,
    })
  }
}

function parseTrailers(text: string): Array<readonly [string, string]> {
  return text.split('\n').flatMap((line) => {
    const colon = line.indexOf(':')
    return colon < 1 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()] as const]
  })
}

/**
 * The commits with these full ids, in the same order; ids of other objects are left out. Commits that are not cached
 * are read by one process.
 */
export async function readCommits(repo: Repo, ids: readonly string[]): Promise<Commit[]> {
  const byId = new Map<string, Commit>()
  for (const id of new Set(ids)) {
    const commit = repo.git.cache.get<Commit>(repo, 'commit', id)
    if (commit !== undefined) byId.set(id, commit)
  }
  const missing = [...new Set(ids)].filter((id) => !byId.has(id))
  for (const commit of await loadPlain(repo, missing)) byId.set(commit.id, commit)
  const others = missing.filter((id) => !byId.has(id))
  for (const commit of await load(repo, others)) byId.set(commit.id, commit)
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** The maximum number of commits that are read faster without a process. */
const MAX_PLAIN = 24

async function loadPlain(repo: Repo, ids: readonly string[]): Promise<Commit[]> {
  if (ids.length > MAX_PLAIN) return []
  const plainCommits = await Promise.all(ids.map((id) => readPlainCommit(repo, id).catch(() => null)))
  const commits = plainCommits.filter((commit) => commit !== null)
  cacheCommits(repo, commits)
  return commits
}

async function load(repo: Repo, ids: readonly string[]): Promise<Commit[]> {
  if (ids.length === 0) return []
  try {
    return await loadExisting(repo, ids)
  } catch (error) {
    if (!(error instanceof GitError) || error.isRepositoryMissing) throw error
    // One invalid id fails the whole command. Only then is each id looked up.
    const infos = await Promise.all(ids.map((id) => repo.git.catFiles.info(repo, id)))
    const commits = ids.filter((_, index) => infos[index]?.type === 'commit')
    if (commits.length === ids.length) throw error
    return commits.length === 0 ? [] : loadExisting(repo, commits)
  }
}

async function loadExisting(repo: Repo, ids: readonly string[]): Promise<Commit[]> {
  const args = git`log -z --no-walk=unsorted --stdin ${COMMIT_FORMAT}`
  const input = ids.map((id) => `${sha(id).text}\n`).join('')
  const { stdout } = await run(repo, 'commits.read', args, { input })
  const commits = parseCommits(stdout)
  cacheCommits(repo, commits)
  return commits
}

/** One commit by its full id, or null. */
export async function findCommit(repo: Repo, id: string): Promise<Commit | null> {
  return (await readCommits(repo, [id]))[0] ?? null
}

/** The numbers of lines and files that each commit changed against its first parent. Binary files have no lines. */
export async function commitStats(repo: Repo, ids: readonly string[]): Promise<Map<string, Stats>> {
  const result = new Map<string, Stats>()
  const missing: string[] = []
  for (const id of new Set(ids)) {
    const stats = repo.git.cache.get<Stats>(repo, 'stats', id)
    if (stats === undefined) missing.push(id)
    else result.set(id, stats)
  }
  if (missing.length === 0) return result
  const read = await readStats(repo, missing)
  for (const [id, stats] of read.stats) {
    result.set(id, stats)
    if (read.isComplete || stats.files > MANY_FILES)
      repo.git.cache.set(repo, 'stats', id, { content: stats, bytes: 200 })
  }
  return result
}

/** The time limit in milliseconds for the search for files that were renamed and changed. */
const COMPARING_MS = 10_000
/** With fewer files, a timeout only means that the machine is busy, so the result is not cached. */
const MANY_FILES = 1000

/**
 * With hundreds of thousands of renamed and changed files, git's search takes minutes. After a timeout, only renames
 * without changes are detected; other renamed files count as removed and added.
 */
async function readStats(
  repo: Repo,
  ids: readonly string[],
): Promise<{ stats: Map<string, Stats>; isComplete: boolean }> {
  const input = ids.map((id) => `${sha(id).text}\n`).join('')
  const limit = Math.min(repo.git.limitOf(STATS) ?? repo.git.timeoutMs, COMPARING_MS)
  try {
    const { stdout } = await run(repo, STATS, statsArgs('50%'), { input, timeoutMs: limit })
    return { stats: parseStats(stdout), isComplete: true }
  } catch (error) {
    if (!(error instanceof GitError) || error.reason !== 'timeout') throw error
    const { stdout } = await run(repo, `${STATS}_exact`, statsArgs('100%'), { input })
    return { stats: parseStats(stdout), isComplete: false }
  }
}

const STATS = 'commits.stats'

const statsArgs = (similarity: string) =>
  git`log --no-walk=unsorted --stdin --shortstat --diff-merges=first-parent --no-ext-diff --no-textconv
    ${option('--find-renames', similarity)} ${option('--format', '%x00%H')}`

function parseStats(output: Buffer): Map<string, Stats> {
  const records = output.toString('utf8').split('\0').slice(1)
  return new Map(
    records.map((record) => {
      const number = (pattern: RegExp) => Number(pattern.exec(record)?.[1] ?? 0)
      const stats = {
        additions: number(/(\d+) insertion/),
        deletions: number(/(\d+) deletion/),
        files: number(/(\d+) files? changed/),
      }
      return [record.slice(0, record.search(/\s|$/)), stats]
    }),
  )
}
