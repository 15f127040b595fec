import type { Ctx } from '../../../ctx.ts'
import { readFile } from '../../../git/blob.ts'
import { GitError, GitInputError } from '../../../git/errors.ts'
import { resolveCommit } from '../../../git/revisions.ts'
import { findEntry, listTree } from '../../../git/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { canRead, isAble } from '../../../policy/ability.ts'
import {
  findProject,
  fullPath,
  project as scope,
  projectAbilities,
  repoOf,
  type Project,
} from '../../projects/index.ts'
import { globOf } from '../config/globs.ts'
import type { Origin, Resolver } from '../config/includes/resolver.ts'
import { templateNamed } from '../config/templates/templates.ts'
import { fetchRemote } from './remote.ts'

const MAX_BYTES = 1_500_000

/**
 * Reads what configurations include: files of projects whose code the actor may read, and addresses through the guard
 * of outgoing requests. `deadline` ends what takes too long.
 */
export function resolverFor(ctx: Ctx, deadline: AbortSignal): Resolver {
  const repos = new Map<string, Repo | null>()
  const repoAt = (path: string): Repo | null => {
    const known = repos.get(path)
    if (known !== undefined) return known
    const found = readable(ctx, path)
    const repo = found ? repoOf(ctx, found) : null
    repos.set(path, repo)
    return repo
  }
  return {
    read: ({ project, sha }, path) => quietly(null, async () => textAt(repoAt(project), sha, path)),
    list: ({ project, sha }, pattern) =>
      quietly([], async () => filesBelow(repoAt(project), sha, folderOf(pattern))),
    open: (path, ref) => quietly('no_ref' as const, async () => openAt(ctx, path, ref)),
    remote: (url) => fetchRemote(ctx, url, deadline),
    template: (name) => templateNamed(ctx.config, name),
    async exists(origin: Origin, globs) {
      const files = await quietly([], async () => filesBelow(repoAt(origin.project), origin.sha, ''))
      return globs.map(globOf).some((glob) => files.some((path) => glob.covers(path)))
    },
  }
}

/** Paths of all files of a commit; nothing where it cannot be read. */
export function filesOf(ctx: Ctx, project: Project, sha: string): Promise<readonly string[]> {
  return quietly([], () => filesBelow(repoOf(ctx, project), sha, ''))
}

/** The content of a file of a project at a commit, or null. */
export function fileOf(ctx: Ctx, project: Project, sha: string, path: string): Promise<string | null> {
  return quietly(null, () => textAt(repoOf(ctx, project), sha, path))
}

function readable(ctx: Ctx, path: string): Project | undefined {
  const found = findProject(ctx, path)
  if (!found || !canRead(ctx, scope, found)) return undefined
  return isAble(ctx, scope, projectAbilities.read_code, found) ? found : undefined
}

async function openAt(ctx: Ctx, path: string, ref: string | null): Promise<Origin | 'denied' | 'no_ref'> {
  // Digits would be an id, which is no path.
  const found = path.includes('/') ? readable(ctx, path) : undefined
  if (!found) return 'denied'
  const sha = await resolveCommit(
    repoOf(ctx, found),
    ref === null || ref === 'HEAD' ? found.default_branch : ref,
  )
  return sha === null ? 'no_ref' : { project: fullPath(found), sha }
}

async function textAt(repo: Repo | null, sha: string, path: string): Promise<string | null> {
  const file = repo && (await readFile(repo, sha, path, { maxBytes: MAX_BYTES }))
  return file ? file.content.toString('utf8') : null
}

async function filesBelow(repo: Repo | null, sha: string, folder: string): Promise<readonly string[]> {
  if (!repo || (await findEntry(repo, sha, folder))?.type !== 'tree') return []
  const listing = await listTree(repo, sha, { path: folder, recursive: true })
  return (listing?.entries ?? []).filter(({ type }) => type === 'blob').map(({ path }) => path)
}

/** The folders before the first `*` of a pattern. */
function folderOf(pattern: string): string {
  const fixed = /^[^*?[{\\]*/.exec(pattern)![0]
  return fixed.slice(0, Math.max(0, fixed.lastIndexOf('/')))
}

/** What git would not take as a path, cannot find or read, is simply not there. */
async function quietly<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GitError || error instanceof GitInputError) return otherwise
    throw error
  }
}
