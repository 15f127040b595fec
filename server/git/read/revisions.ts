import { isBranchName, isObjectId, isRevision, isTagName } from '../names.ts'
import type { Repo } from '../types.ts'
import type { ObjectInfo } from './cat-file.ts'
import { cachedTip } from './ref-files.ts'

/**
 * The object of a revision, peeled to `type` if it is set; null when there is none. Never throws for invalid input.
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
 * The commit id of a revision, or null. A full object id is never taken for a branch or tag with that name. For a name
 * of both a branch and a tag, the branch is used, or the tag with `prefer: 'tag'`. A full `refs/…` name is unambiguous.
 */
export async function resolveCommit(
  repo: Repo,
  text: string,
  options: { prefer?: 'branch' | 'tag' } = {},
): Promise<string | null> {
  if (!isRevision(text)) return null
  if (isObjectId(text)) return commitOfId(repo, text)
  const names = shortNames(text, options.prefer ?? 'branch')
  const tip = names[0] === `refs/heads/${text}` ? cachedTip(repo, text) : undefined
  if (tip !== undefined) return tip
  const candidates = [...names, text]
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

/** The first parent of a commit (full id); null when it has none or the commit does not exist. */
export async function firstParent(repo: Repo, commit: string): Promise<string | null> {
  if (!isObjectId(commit)) return null
  const cached = repo.git.cache.get<{ oid: string }>(repo, 'first-parent', commit)
  if (cached !== undefined) return cached.oid
  const info = await repo.git.catFiles.info(repo, `${commit}^1`)
  if (info === null) return null
  return repo.git.cache.set(repo, 'first-parent', commit, { content: { oid: info.oid }, bytes: 300 }).oid
}

/** The commit of a branch (short name); null when there is no such branch. */
export async function branchTip(repo: Repo, branch: string): Promise<string | null> {
  if (!isBranchName(branch)) return null
  const tip =
    cachedTip(repo, branch) ?? (await repo.git.catFiles.info(repo, `refs/heads/${branch}^{commit}`))?.oid
  return tip ?? null
}

/** The id of the object that a ref (full name) points to, for an annotated tag the tag object; null without the ref. */
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
