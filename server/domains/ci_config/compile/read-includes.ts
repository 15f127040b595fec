import type { Ctx } from '../../../ctx.ts'
import { readFile } from '../../../git/read/blob.ts'
import { GitError, GitInputError } from '../../../git/errors.ts'
import { resolveCommit } from '../../../git/read/revisions.ts'
import { findEntry, listTree } from '../../../git/read/tree.ts'
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
import { globOf } from '../language/patterns.ts'
import type { Origin, RemoteFailure, Resolver } from '../includes/entry.ts'
import { findTemplate } from '../templates/templates.ts'
import { ForbiddenDestination } from '../../../lib/outbound.ts'

const MAX_BYTES = 1_500_000

/**
 * Reads included files: files of projects if the actor may read their code, and URLs through the guard
 * of outgoing requests. `deadline` ends remote requests.
 */
export function resolverFor(ctx: Ctx, deadline: AbortSignal): Resolver {
  const repos = new Map<string, Repo | null>()
  const repoAt = (path: string): Repo | null => {
    const cached = repos.get(path)
    if (cached !== undefined) return cached
    const project = readable(ctx, path)
    const repo = project ? repoOf(ctx, project) : null
    repos.set(path, repo)
    return repo
  }
  return {
    read: ({ project, sha }, path) => quietly(null, async () => textAt(repoAt(project), sha, path)),
    list: ({ project, sha }, pattern) =>
      quietly([], async () => filesBelow(repoAt(project), sha, folderOf(pattern))),
    open: (path, ref) => quietly('no_ref' as const, async () => openAt(ctx, path, ref)),
    remote: (url) => fetchRemote(ctx, url, deadline),
    template: (name) => findTemplate(ctx.config, name),
    async exists(origin: Origin, globs) {
      const files = await quietly([], async () => filesBelow(repoAt(origin.project), origin.sha, ''))
      return globs.map(globOf).some((glob) => files.some((path) => glob.covers(path)))
    },
  }
}

/** Paths of all files of a commit; empty if it cannot be read. */
export function filesOf(ctx: Ctx, project: Project, sha: string): Promise<readonly string[]> {
  return quietly([], () => filesBelow(repoOf(ctx, project), sha, ''))
}

/** The content of a file of a project at a commit, or null. */
export function fileOf(ctx: Ctx, project: Project, sha: string, path: string): Promise<string | null> {
  return quietly(null, () => textAt(repoOf(ctx, project), sha, path))
}

function readable(ctx: Ctx, path: string): Project | undefined {
  const project = findProject(ctx, path)
  if (!project || !canRead(ctx, scope, project)) return undefined
  return isAble(ctx, scope, projectAbilities.read_code, project) ? project : undefined
}

async function openAt(ctx: Ctx, path: string, ref: string | null): Promise<Origin | 'denied' | 'no_ref'> {
  // Digits alone would be read as an id, which is not allowed here.
  const project = path.includes('/') ? readable(ctx, path) : undefined
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

/** The folders before the first `*` of a pattern. */
function folderOf(pattern: string): string {
  const fixed = /^[^*?[{\\]*/.exec(pattern)![0]
  return fixed.slice(0, Math.max(0, fixed.lastIndexOf('/')))
}

/** Runs `work`, and returns `otherwise` for paths and revisions that git refuses, cannot find or cannot read. */
async function quietly<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof GitError || error instanceof GitInputError) return otherwise
    throw error
  }
}

const MAX_REMOTE_BYTES = 1500000
const REMOTE_MS = 10000

/** Fetches a configuration from a URL; failures are those of the contract. */
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
    return await read(answer.body)
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

async function read(body: AsyncIterable<Uint8Array> | null): Promise<{ text: string } | RemoteFailure> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of body ?? []) {
    bytes += part.length
    if (bytes > MAX_REMOTE_BYTES) return { failure: 'http' }
    parts.push(part)
  }
  return { text: Buffer.concat(parts).toString('utf8') }
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
