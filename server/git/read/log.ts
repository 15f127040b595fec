import { git, option, path, sha } from '../args.ts'
import type { Arg, Args } from '../args.ts'
import { COMMIT_FORMAT, cacheCommits, parseCommits, readCommits } from './commits.ts'
import type { Commit } from './commits.ts'
import { mergeBases } from './graph.ts'
import { linearCount, lastLinearChange, linearHistory } from '../plain/linear-history.ts'
import { resolveCommit } from './revisions.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'
import { splitNul } from '../parse.ts'

/** The commits that are reachable from `tips` and not from `not`; full commit ids. */
export interface LogRange {
  readonly tips: readonly string[]
  readonly not?: readonly string[]
}

export interface LogFilter {
  /** Default: the commits of all branches and tags. */
  readonly range?: LogRange
  /** Only commits that change these files or folders. */
  readonly paths?: readonly string[]
  /** Follow a file through renames; only with exactly one path. */
  readonly follow?: boolean
  readonly since?: Date
  readonly until?: Date
  /** A part of the author's name or email address, case-insensitive. */
  readonly author?: string
  /** A part of the message, case-insensitive. */
  readonly message?: string
  readonly first_parent?: boolean
  readonly no_merges?: boolean
  /** `default`: newest first; `topo`: no parent before all of its children. */
  readonly order?: 'default' | 'topo'
}

export interface LogPage extends LogFilter {
  readonly skip?: number
  readonly limit: number
  readonly signal?: AbortSignal
}

/** The commits of the range that match the filter. The result is cached. */
export async function listCommits(repo: Repo, page: LogPage): Promise<Commit[]> {
  const { signal, ...query } = page
  if (page.limit === 0 || cannotMatch(page)) return []
  // The result for all branches and tags changes with them, so it is not cached.
  const key = page.range === undefined ? null : JSON.stringify(query)
  const cached = key === null ? undefined : repo.git.cache.get<readonly string[]>(repo, 'log', key)
  if (cached !== undefined) return readCommits(repo, cached)
  const linear = await listWithoutProcess(repo, query)
  if (linear !== undefined) return cacheList(repo, key, linear)
  const window = git`${option('--max-count', page.limit)} ${option('--skip', page.skip ?? 0)}`
  const follow = page.follow && page.paths?.length === 1 ? option('--follow') : null
  const args = git`log -z ${COMMIT_FORMAT} ${window} ${follow} ${filterArgs(page)}`
  const { stdout } = await run(repo, 'commits.list', args, { input: rangeInput(page.range), signal })
  const commits = parseCommits(stdout)
  cacheCommits(repo, commits)
  return cacheList(repo, key, commits)
}

function cacheList(repo: Repo, key: string | null, commits: Commit[]): Commit[] {
  if (key !== null) {
    const ids = commits.map((commit) => commit.id)
    repo.git.cache.set(repo, 'log', key, { content: ids, bytes: 300 + 2 * key.length + 90 * ids.length })
  }
  return commits
}

/** Lists commits of a linear history without a git process; undefined if only git can list them. */
async function listWithoutProcess(repo: Repo, page: LogPage): Promise<Commit[] | undefined> {
  const { range, paths = [], limit, skip = 0, follow: _follow, order: _order, ...filters } = page
  const [tip, secondTip] = range?.tips ?? []
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined && filter !== false)
  if (tip === undefined || secondTip !== undefined || isFiltered) return undefined
  const [end, secondEnd] = range?.not ?? []
  if (secondEnd !== undefined) return undefined
  if (paths.length === 0) return (await linearHistory(repo, { tip, end, count: skip + limit }))?.slice(skip)
  if (paths.length > 1 || end !== undefined || skip > 0 || limit > 1 || page.follow) return undefined
  const cachedLast = (commit: string): string | null | undefined => {
    const key = JSON.stringify({ ...page, range: { ...range, tips: [commit] } })
    const ids = repo.git.cache.get<readonly string[]>(repo, 'log', key)
    return ids === undefined ? undefined : (ids[0] ?? null)
  }
  const last = await lastLinearChange(repo, { tip, path: paths[0]! }, cachedLast)
  return last === undefined ? undefined : readCommits(repo, last === null ? [] : [last])
}

/** The number of commits in the range that match the filter, at most `limit`. */
export async function countCommits(repo: Repo, filter: LogFilter & { limit?: number }): Promise<number> {
  if (cannotMatch(filter)) return 0
  const { range, ...filters } = filter
  const isAll = Object.values(filters).every((value) => value === undefined || value === false)
  const [tip, secondTip] = range?.tips ?? []
  const [end, secondEnd] = range?.not ?? []
  if (!isAll || tip === undefined || secondTip !== undefined || secondEnd !== undefined)
    return countByGit(repo, filter)
  if (end !== undefined) return (await linearHistory(repo, { tip, end }))?.length ?? countByGit(repo, filter)
  const cachedCount = (commit: string) => repo.git.cache.get<{ count: number }>(repo, 'count', commit)?.count
  const count = (await linearCount(repo, tip, cachedCount)) ?? (await countByGit(repo, filter))
  return repo.git.cache.set(repo, 'count', tip, { content: { count }, bytes: 200 }).count
}

async function countByGit(repo: Repo, filter: LogFilter & { limit?: number }): Promise<number> {
  const limit = filter.limit === undefined ? null : option('--max-count', filter.limit)
  const args = git`rev-list --count ${limit} ${filterArgs(filter)}`
  const { stdout } = await run(repo, 'commits.count', args, { input: rangeInput(filter.range) })
  return Number(stdout.toString('utf8').trim())
}

/** The ids of the commits of a range, newest first. */
export async function listCommitIds(
  repo: Repo,
  range: LogRange,
  options: { limit: number; firstParent?: boolean; signal?: AbortSignal },
): Promise<string[]> {
  if (range.tips.length === 0) return []
  const first = options.firstParent ? option('--first-parent') : null
  const args = git`rev-list ${first} ${option('--max-count', options.limit)} --stdin`
  const { stdout } = await run(repo, 'commits.ids', args, {
    input: rangeInput(range),
    signal: options.signal,
  })
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
}

/** The newest commit in the history of `commit` that changed the path; null when none did. */
export async function lastCommitFor(
  repo: Repo,
  commit: string,
  file: string,
  options: { signal?: AbortSignal } = {},
): Promise<Commit | null> {
  const page = { range: { tips: [commit] }, paths: file === '' ? [] : [file], limit: 1, ...options }
  return (await listCommits(repo, page))[0] ?? null
}

/** The range of a text such as `main`, `a..b` or `a...b`; a missing end means HEAD. Null when an end does not exist. */
export async function resolveRange(repo: Repo, text: string): Promise<LogRange | null> {
  const [, left, dots, right] = /^(.*?)(\.{2,3})(.*)$/s.exec(text) ?? []
  if (dots === undefined) {
    const tip = await resolveCommit(repo, text)
    return tip === null ? null : { tips: [tip] }
  }
  const [from, to] = await Promise.all([left, right].map((end) => resolveCommit(repo, end || 'HEAD')))
  if (!from || !to) return null
  if (dots === '..') return { tips: [to], not: [from] }
  return { tips: [from, to], not: await mergeBases(repo, from, to) }
}

/** True when no commit can match: there is no tip, or a text has several lines, which git would search separately. */
function cannotMatch(filter: LogFilter): boolean {
  return (
    filter.range?.tips.length === 0 || [filter.author, filter.message].some((text) => text?.includes('\n'))
  )
}

function rangeInput(range: LogRange | undefined): string {
  if (range === undefined) return ''
  const not = (range.not ?? []).map((id) => `^${sha(id).text}\n`)
  return [...range.tips.map((id) => `${sha(id).text}\n`), ...not].join('')
}

function filterArgs(filter: LogFilter): Args {
  const options: Arg[] = []
  if (filter.since) options.push(option('--since', gitDate(filter.since)))
  if (filter.until) options.push(option('--until', gitDate(filter.until)))
  if (filter.author) options.push(option('--author', filter.author))
  if (filter.message) options.push(option('--grep', filter.message))
  // Author and message are literal text, because a pattern could take very long.
  if (filter.author || filter.message) options.push(option('--fixed-strings'), option('--regexp-ignore-case'))
  if (filter.first_parent) options.push(option('--first-parent'))
  if (filter.no_merges) options.push(option('--no-merges'))
  if (filter.order === 'topo') options.push(option('--topo-order'))
  const start = filter.range === undefined ? git`--branches --tags` : git`--stdin`
  return git`${options} ${start} -- ${(filter.paths ?? []).map(path)}`
}

function gitDate(date: Date): string {
  // Git accepts times from 1970 to 9999.
  const seconds = Math.min(Math.max(0, Math.floor(date.getTime() / 1000)), 253_402_300_799)
  return `@${seconds} +0000`
}

/** The maximum number of commits that are searched. */
const MAX_COMMITS = 10_000

/**
 * The path that a file of `tip` had in an older commit, followed through renames. Null when that commit did not change
 * the file.
 */
export async function followedPath(
  repo: Repo,
  { tip, path: file, commit }: { readonly tip: string; readonly path: string; readonly commit: string },
): Promise<string | null> {
  const args = git`log -z --follow --name-only ${option('--format', '%x00%H')} ${option('--max-count', MAX_COMMITS)}
    ${sha(tip)} -- ${path(file)}`
  const { stdout } = await run(repo, 'commits.follow', args)
  // The id of a commit precedes the paths that it changed, with a line end between them.
  const tokens = splitNul(stdout).map((token) => token.replace(/^\n/, ''))
  const at = tokens.indexOf(commit)
  const name = at === -1 ? undefined : tokens.slice(at + 1).find((token) => token !== '')
  return name ?? null
}
