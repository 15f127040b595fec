import type { Ctx } from '../../../ctx.ts'
import { listAuthors, listAuthorWeeks, type Author } from '../../../git/read/authors.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { inRepository } from '../../projects/index.ts'

export type { Author }

/** The commits of one week. */
export interface CommitWeek {
  /** The Monday of the week (UTC). */
  readonly week: string
  readonly commits: number
}

/** The ref and the order of a list of contributors. */
export interface ContributorQuery {
  /** A branch, tag or commit id; by default the default branch. */
  readonly ref?: string | undefined
  readonly order_by: 'commits' | 'name' | 'email'
  readonly sort: 'asc' | 'desc'
}

/** Lists the authors in the history of a ref. Throws 404 for an unknown ref or an empty history. */
export function findContributors(
  ctx: Ctx,
  project: Project,
  query: ContributorQuery,
  signal?: AbortSignal,
): Promise<Author[]> {
  return inRepository(ctx, project, async (repo) => {
    const commit = await commitOf(repo, project, query.ref)
    const authors = Array.from(await listAuthors(repo, commit, { signal }))
    authors.sort(ORDERS[query.order_by])
    return query.sort === 'desc' ? authors.reverse() : authors
  })
}

/** Counts commits per week, of all authors or one author. Throws 404 for an unknown ref or an empty history. */
export function findCommitWeeks(
  ctx: Ctx,
  project: Project,
  query: { readonly ref?: string | undefined; readonly author?: string | undefined },
  signal?: AbortSignal,
): Promise<{ readonly cut: boolean; readonly weeks: CommitWeek[] }> {
  return inRepository(ctx, project, async (repo) => {
    const authorWeeks = await listAuthorWeeks(repo, await commitOf(repo, project, query.ref), { signal })
    const counts = query.author ? authorWeeks.authors.get(query.author.toLowerCase()) : authorWeeks.all
    const weeks = [...(counts ?? [])]
      .sort(([a], [b]) => a - b)
      .map(([monday, commits]) => ({ week: new Date(monday * DAY_MS).toISOString().slice(0, 10), commits }))
    return { cut: authorWeeks.isTruncated, weeks }
  })
}

const DAY_MS = 86_400_000

async function commitOf(repo: Repo, project: Project, ref: string | undefined): Promise<string> {
  const commit = await resolveCommit(repo, ref || `refs/heads/${project.default_branch}`)
  if (commit === null) throw notFound(ref ? 'Ref' : 'Repository')
  return commit
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const ORDERS: Readonly<Record<ContributorQuery['order_by'], (a: Author, b: Author) => number>> = {
  commits: (a, b) => a.commits - b.commits || byText(a.email, b.email),
  name: (a, b) => byText(a.name.toLowerCase(), b.name.toLowerCase()) || byText(a.email, b.email),
  email: (a, b) => byText(a.email.toLowerCase(), b.email.toLowerCase()),
}
