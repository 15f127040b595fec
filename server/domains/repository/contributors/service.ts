import type { Ctx } from '../../../ctx.ts'
import { listAuthors, type Author } from '../../../git/read/authors.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { inRepository } from '../../projects/index.ts'

/** The ref and the order of a list of contributors. */
export interface ContributorQuery {
  /** Branch, tag or id; the default branch if absent. */
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
    const commit = await resolveCommit(repo, query.ref || `refs/heads/${project.default_branch}`)
    if (commit === null) throw notFound(query.ref ? 'Ref' : 'Repository')
    const authors = Array.from(await listAuthors(repo, commit, { signal }))
    authors.sort(ORDERS[query.order_by])
    return query.sort === 'desc' ? authors.reverse() : authors
  })
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const ORDERS: Readonly<Record<ContributorQuery['order_by'], (a: Author, b: Author) => number>> = {
  commits: (a, b) => a.commits - b.commits || byText(a.email, b.email),
  name: (a, b) => byText(a.name.toLowerCase(), b.name.toLowerCase()) || byText(a.email, b.email),
  email: (a, b) => byText(a.email.toLowerCase(), b.email.toLowerCase()),
}
