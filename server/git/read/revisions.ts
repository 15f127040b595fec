import { isBranchName, isObjectId, isRevision, isTagName } from '../names.ts'
import type { Repo } from '../types.ts'

export interface ObjectInfo {
  readonly oid: string
  readonly type: string
  readonly size: number
}

/**
 * The object of a revision, peeled to `type` when given, or null when there is none. Never throws for invalid input.
 */
export async function findObject(
  repo: Repo,
  text: string,
  type?: 'commit' | 'tree' | 'blob' | 'tag',
): Promise<ObjectInfo | null> {
  if (!isRevision(text)) return null
  return repo.git.catFiles.info(repo, type === undefined ? text : `${text}^{${type}}`)
}

/**
 * The commit id of a revision, or null. A full object id always names itself. For a name that is both branch and tag
 * the branch is used, or the tag with `prefer: 'tag'`; a full `refs/…` name is exact.
 */
export async function resolveCommit(
  repo: Repo,
  text: string,
  options: { prefer?: 'branch' | 'tag' } = {},
): Promise<string | null> {
  if (!isRevision(text)) return null
  if (isObjectId(text)) return commitOfId(repo, text)
  const candidates = [...shortNames(text, options.prefer ?? 'branch'), text]
  // All candidates are looked up at once.
  const objects = await Promise.all(
    candidates.map((name) => repo.git.catFiles.info(repo, `${name}^{commit}`)),
  )
  return objects.find((object) => object !== null)?.oid ?? null
}

/** The commit of a full id: itself, or the target of a tag object. It never changes, so it is cached. */
async function commitOfId(repo: Repo, id: string): Promise<string | null> {
  const cached = repo.git.cache.get<{ oid: string }>(repo, 'commit-of', id)
  if (cached !== undefined) return cached.oid
  const info = await repo.git.catFiles.info(repo, `${id}^{commit}`)
  if (info === null) return null
  return repo.git.cache.set(repo, 'commit-of', id, { content: { oid: info.oid }, bytes: 300 }).oid
}

/** The first parent of a commit given by its full id; null when it has none, or when there is no such commit. */
export async function firstParent(repo: Repo, commit: string): Promise<string | null> {
  if (!isObjectId(commit)) return null
  const cached = repo.git.cache.get<{ oid: string }>(repo, 'first-parent', commit)
  if (cached !== undefined) return cached.oid
  const info = await repo.git.catFiles.info(repo, `${commit}^1`)
  if (info === null) return null
  return repo.git.cache.set(repo, 'first-parent', commit, { content: { oid: info.oid }, bytes: 300 }).oid
}

/** The commit a branch points to, by the branch's short name; null when there is no such branch. */
export async function branchTip(repo: Repo, branch: string): Promise<string | null> {
  if (!isBranchName(branch)) return null
  return (await repo.git.catFiles.info(repo, `refs/heads/${branch}^{commit}`))?.oid ?? null
}

/** What a ref points to (for an annotated tag the tag object), by its full name; null when there is no such ref. */
export async function refTarget(repo: Repo, name: string): Promise<string | null> {
  if (!name.startsWith('refs/') || !isRevision(name)) return null
  return (await repo.git.catFiles.info(repo, name))?.oid ?? null
}

function shortNames(text: string, prefer: 'branch' | 'tag'): string[] {
  const [, name = '', suffix = ''] = /^([^~^]*)(.*)$/s.exec(text) ?? []
  if (name.startsWith('refs/') || name === 'HEAD' || name === '@') return []
  const branch = isBranchName(name) ? [`refs/heads/${name}${suffix}`] : []
  const tag = isTagName(name) ? [`refs/tags/${name}${suffix}`] : []
  return prefer === 'branch' ? [...branch, ...tag] : [...tag, ...branch]
}
