import type { Ctx } from '../../../ctx.ts'
import { readBlame } from '../../../git/read/blame.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { findFile } from '../files/service.ts'
import { inRepository } from '../../projects/index.ts'
import type { BlameRow } from './entity.ts'

/** The file and the range of lines to blame. */
export interface BlameQuery {
  readonly file_path: string
  readonly ref: string
  readonly range?: { readonly start: number; readonly end: number } | undefined
}

/** Returns the lines of a file with the commits that they come from. */
export function getBlame(
  ctx: Ctx,
  project: Project,
  query: BlameQuery,
  signal: AbortSignal,
): Promise<BlameRow[]> {
  const { range } = query
  if (range && range.start > range.end) {
    throw fail('bad_request', 'range[start] must be less than or equal to range[end]')
  }
  return inRepository(ctx, project, async (repo) => {
    const { path, commit } = await findFile(repo, query)
    const parts = await readBlame(repo, commit, path, { ...(range ? { range } : {}), signal })
    const ids = [...new Set(parts.map((part) => part.commit))]
    const commits = new Map((await readCommits(repo, ids)).map((found) => [found.id, found]))
    return parts.map((part) => {
      const found = commits.get(part.commit)
      if (!found) throw notFound('Commit')
      return { commit: found, lines: part.lines }
    })
  })
}
