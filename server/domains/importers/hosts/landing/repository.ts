import { isTagName } from '../../../../git/names.ts'
import { findTag } from '../../../../git/write/refs.ts'
import { inRepository, importedProtections } from '../../../projects/index.ts'
import { importedReleases } from '../../../releases/index.ts'
import { accountOf, signedText } from './people.ts'
import { CannotLand, landed, once, projectOf, timeOf, titleOf, type ImportTarget } from './target.ts'
import type { NewProtection, NewRelease } from './types.ts'

/** See Landing.release. */
export async function landRelease(target: ImportTarget, given: NewRelease): Promise<number | null> {
  const known = landed(target, 'release', given.source_key)
  if (known !== undefined) return known
  if (!isTagName(given.tag)) throw new CannotLand('Tag is not a valid tag name')
  const tag = await inRepository(target.ctx, projectOf(target), (repo) => findTag(repo, given.tag))
  return once(target, 'release', given.source_key, () => insertRelease(target, given, tag?.commit ?? null))
}

function insertRelease(target: ImportTarget, given: NewRelease, sha: string | null): number {
  const { ctx, projectId } = target
  if (importedReleases.hasRelease(ctx.db, projectId, given.tag))
    throw new CannotLand('Tag has already been taken')
  const author = accountOf(target, given.author)
  const created_at = timeOf(given.created_at)
  const id = importedReleases.insertRelease(ctx.db, {
    project_id: projectId,
    tag: given.tag,
    sha,
    name: titleOf(given.name, given.tag),
    description: signedText(target, author, given.author, given.description),
    author_id: author.id,
    released_at: timeOf(given.released_at),
    created_at,
    updated_at: created_at,
  })
  for (const { name, url } of given.links ?? []) {
    if (!isWebAddress(url)) continue
    const times = { created_at, updated_at: created_at }
    importedReleases.insertReleaseLink(ctx.db, {
      release_id: id,
      name: titleOf(name, url),
      url,
      link_type: 'other',
      ...times,
    })
  }
  return id
}

function isWebAddress(url: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[\u0000-\u0020\u007f]/.test(url) && ['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')
}

/** See Landing.protectedBranch. */
export function landProtection(target: ImportTarget, given: NewProtection): number | null {
  return once(target, 'protected_branch', given.source_key, () => {
    const { ctx, projectId } = target
    if (given.name.trim() === '' || given.name.length > 255) throw new CannotLand('Name is invalid')
    // The instance may have protected the default branch already.
    const existing = importedProtections.protectionNamed(ctx.db, projectId, given.name)
    if (existing === undefined) return importedProtections.insertProtection(ctx.db, projectId, given, ctx.now)
    importedProtections.tightenProtection(ctx.db, existing, given, ctx.now)
    return existing
  })
}
