import type { Ctx } from '../../../ctx.ts'
import { readFile } from '../../../git/read/blob.ts'
import { GitError, GitInputError } from '../../../git/errors.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { findEntry, listTree } from '../../../git/read/tree.ts'
import type { Repo } from '../../../git/types.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import {
  findProject,
  fullPath,
  project as scope,
  projectAbilities,
  repoOf,
  type Project,
} from '../../projects/index.ts'
import { globOf } from '../language/patterns.ts'
import type { Origin, RemoteFailure, Resolver } from '../includes/entry.ts'
import { findTemplate } from '../templates/templates.ts'
import { ForbiddenDestination } from '../../../lib/outbound.ts'

const MAX_BYTES = 1_500_000

/**
 * Returns a resolver that reads included files: files of projects if the actor may read their code, and URLs that
 * outgoing requests may reach. `deadline` aborts remote requests.
 */
export function resolverFor(ctx: Ctx, deadline: AbortSignal): Resolver {
  const repos = new Map<string, Repo | null>()
  const repoOfPath = (path: string): Repo | null => {
    const cached = repos.get(path)
    if (cached !== undefined) return cached
    const project = findReadable(ctx, path)
    const repo = project ? repoOf(ctx, project) : null
    repos.set(path, repo)
    return repo
  }
  return {
    read: ({ project, sha }, path) => withFallback(null, async () => textAt(repoOfPath(project), sha, path)),
    list: ({ project, sha }, pattern) =>
      withFallback([], async () => filesBelow(repoOfPath(project), sha, folderOf(pattern))),
    open: (path, ref) => withFallback('no_ref' as const, async () => openProject(ctx, path, ref)),
    remote: (url) => fetchRemote(ctx, url, deadline),
    template: (name) => findTemplate(ctx.config, name),
    async exists(origin: Origin, globs) {
      const files = await withFallback([], async () => filesBelow(repoOfPath(origin.project), origin.sha, ''))
      return globs.map(globOf).some((glob) => files.some((path) => glob.covers(path)))
    },
  }
}

/** The paths of all files of a commit. Empty if the commit cannot be read. */
export function filesOf(ctx: Ctx, project: Project, sha: string): Promise<readonly string[]> {
  return withFallback([], () => filesBelow(repoOf(ctx, project), sha, ''))
}

/** The content of a file of a project at a commit, or null. */
export function fileOf(ctx: Ctx, project: Project, sha: string, path: string): Promise<string | null> {
  return withFallback(null, () => textAt(repoOf(ctx, project), sha, path))
}

function findReadable(ctx: Ctx, path: string): Project | undefined {
  const project = findProject(ctx, path)
  if (!project || !canRead(ctx, scope, project)) return undefined
  return hasAbility(ctx, scope, projectAbilities.read_code, project) ? project : undefined
}

async function openProject(
  ctx: Ctx,
  path: string,
  ref: string | null,
): Promise<Origin | 'denied' | 'no_ref'> {
  // Includes name projects by path only; `findProject` would take a number for an ID.
  const project = path.includes('/') ? findReadable(ctx, path) : undefined
  if (!project) return 'denied'
  const sha = await resolveCommit(
    repoOf(ctx, project),
    ref === null || ref === 'HEAD' ? project.default_branch : ref,
  )
  return sha === null ? 'no_ref' : { project: fullPath(project), sha }
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

/** The folder that contains all matches: the segments before the first wildcard of a pattern. */
function folderOf(pattern: string): string {
  const literal = /^[^*?[{\\]*/.exec(pattern)![0]
  return literal.slice(0, Math.max(0, literal.lastIndexOf('/')))
}

/** Runs `work`. Returns `fallback` for paths and revisions that git refuses, does not find or cannot read. */
async function withFallback<T>(fallback: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GitError || error instanceof GitInputError) return fallback
    throw error
  }
}

const REMOTE_MS = 10_000

/** Fetches a configuration from a URL. */
export async function fetchRemote(
  ctx: Pick<Ctx, 'outbound'>,
  url: string,
  deadline: AbortSignal,
): Promise<{ text: string } | RemoteFailure> {
  try {
    const signal = AbortSignal.any([deadline, AbortSignal.timeout(REMOTE_MS)])
    const answer = await ctx.outbound.fetch(url, { signal })
    if (!answer.ok) {
      await answer.body?.cancel()
      return { status: answer.status }
    }
    return await readBody(answer.body)
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

async function readBody(body: AsyncIterable<Uint8Array> | null): Promise<{ text: string } | RemoteFailure> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) return { failure: 'http' }
    chunks.push(chunk)
  }
  return { text: Buffer.concat(chunks).toString('utf8') }
}

function failureOf(error: unknown): 'socket' | 'timeout' | 'http' {
  const causes = [error, (error as { cause?: unknown }).cause]
  if (causes.some((cause) => cause instanceof ForbiddenDestination)) return 'http'
  const names = causes.flatMap((cause) => {
    const { name, code } = (cause ?? {}) as { name?: string; code?: string }
    return [name, code]
  })
  if (
    names.some(
      (name) => name === 'TimeoutError' || name === 'AbortError' || /TIMEOUT|TIMEDOUT/.test(name ?? ''),
    )
  )
    return 'timeout'
  return names.some((name) => /^(?:ENOTFOUND|EAI_|ECONN|EHOST|ENET|EPIPE|UND_ERR_SOCKET)/.test(name ?? ''))
    ? 'socket'
    : 'http'
}
