import { git, option, sha } from '../args.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

export interface Author {
  readonly name: string
  readonly email: string
  /** The number of commits, without merges. */
  readonly commits: number
}

/**
 * The authors of a commit's history (full id), without merges, most commits first. The `.mailmap` of that commit is
 * applied, and then the email address identifies an author. The result is cached.
 */
export async function listAuthors(
  repo: Repo,
  commit: string,
  options: { signal?: AbortSignal } = {},
): Promise<readonly Author[]> {
  const cached = repo.git.cache.get<readonly Author[]>(repo, 'authors', commit)
  if (cached !== undefined) return cached
  const { stdout } = await run(repo, 'authors', git`shortlog -s -n -e --no-merges ${sha(commit)} --`, {
    // By default a bare repository uses the `.mailmap` of its default branch.
    config: [['mailmap.blob', `${commit}:.mailmap`]],
    signal: options.signal,
  })
  const content = byAddress(stdout.toString('utf8'))
  return repo.git.cache.set(repo, 'authors', commit, { content, bytes: 300 + 250 * content.length })
}

/** The maximum number of commits for charts. Of more commits, only the newest are counted. */
const MAX_COUNTED = 50_000
const DAY_SECONDS = 86_400

/** The number of an author's commits by week. A week is identified by its Monday, in days since 1970. */
export type WeekCounts = ReadonlyMap<number, number>

export interface AuthorWeeks {
  /** The counts by email address in lower case. */
  readonly authors: ReadonlyMap<string, WeekCounts>
  readonly all: WeekCounts
  /** True if older commits were left out. */
  readonly isTruncated: boolean
}

/**
 * The number of commits of each author per week, in the history of a commit (full id), without merges. The result is
 * cached.
 */
export async function listAuthorWeeks(
  repo: Repo,
  commit: string,
  options: { signal?: AbortSignal } = {},
): Promise<AuthorWeeks> {
  const cached = repo.git.cache.get<AuthorWeeks>(repo, 'author-weeks', commit)
  if (cached !== undefined) return cached
  const range = git`${option('--max-count', MAX_COUNTED + 1)} ${sha(commit)} --`
  const { stdout } = await run(repo, 'authors', git`log --no-merges --format=%ct%x20%aE ${range}`, {
    config: [['mailmap.blob', `${commit}:.mailmap`]],
    signal: options.signal,
  })
  const content = byWeek(stdout.toString('utf8'))
  const entries = [...content.authors.values()].reduce((sum, weeks) => sum + weeks.size, content.all.size)
  return repo.git.cache.set(repo, 'author-weeks', commit, { content, bytes: 300 + 60 * entries })
}

/** Reads lines such as `1764374400 ada@example.com`. */
function byWeek(text: string): AuthorWeeks {
  const authors = new Map<string, Map<number, number>>()
  const all = new Map<number, number>()
  const add = (weeks: Map<number, number>, monday: number) => weeks.set(monday, (weeks.get(monday) ?? 0) + 1)
  const lines = text.split('\n').filter((line) => line !== '')
  for (const line of lines.slice(0, MAX_COUNTED)) {
    const space = line.indexOf(' ')
    const day = Math.floor(Number(line.slice(0, space)) / DAY_SECONDS)
    // 1 January 1970 was a Thursday.
    const monday = day - ((((day + 3) % 7) + 7) % 7)
    const email = line.slice(space + 1).toLowerCase()
    const weeks = authors.get(email) ?? new Map<number, number>()
    authors.set(email, weeks)
    add(weeks, monday)
    add(all, monday)
  }
  return { authors, all, isTruncated: lines.length > MAX_COUNTED }
}

/**
 * Reads lines such as ` 12\tAda Author <ada@example.com>`. An author with several names gets the most frequent one.
 */
function byAddress(text: string): Author[] {
  const authors = new Map<string, Author>()
  for (const line of text.split('\n')) {
    const [, count, name = '', email = ''] = /^ *(\d+)\t(.*) <([^<]*)>$/.exec(line) ?? []
    if (count === undefined) continue
    const key = email.toLowerCase() || name
    const existing = authors.get(key)
    if (existing) authors.set(key, { ...existing, commits: existing.commits + Number(count) })
    else authors.set(key, { name, email, commits: Number(count) })
  }
  return Array.from(authors.values()).sort((a, b) => b.commits - a.commits)
}
