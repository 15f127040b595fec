import { isTagName } from '../../../../git/names.ts'
import { findTag } from '../../../../git/write/refs.ts'
import { inRepository, importedProtections } from '../../../projects/index.ts'
import { importedReleases } from '../../../releases/index.ts'
import { accountOf, signedText } from './people.ts'
import {
  LandingError,
  importedId,
  importOnce,
  projectOf,
  timeOf,
  titleOf,
  type ImportTarget,
} from './target.ts'
import type { NewProtection, NewRelease } from './types.ts'

/** See Landing.release. */
export async function landRelease(target: ImportTarget, input: NewRelease): Promise<number | null> {
  const existingId = importedId(target, 'release', input.source_key)
  if (existingId !== undefined) return existingId
  if (!isTagName(input.tag)) throw new LandingError('Tag is not a valid tag name')
  const tag = await inRepository(target.ctx, projectOf(target), (repo) => findTag(repo, input.tag))
  return importOnce(target, 'release', input.source_key, () =>
    insertRelease(target, input, tag?.commit ?? null),
  )
}

function insertRelease(target: ImportTarget, input: NewRelease, sha: string | null): number {
  const { ctx, projectId } = target
  if (importedReleases.hasRelease(ctx.db, projectId, input.tag))
    throw new LandingError('Tag has already been taken')
  const author = accountOf(target, input.author)
  const created_at = timeOf(input.created_at)
  const id = importedReleases.insertRelease(ctx.db, {
    project_id: projectId,
    tag: input.tag,
    sha,
    name: titleOf(input.name, input.tag),
    description: signedText(target, author, input.author, input.description),
    author_id: author.id,
    released_at: timeOf(input.released_at),
    created_at,
    updated_at: created_at,
  })
  for (const { name, url } of input.links ?? []) {
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
export function landProtection(target: ImportTarget, input: NewProtection): number | null {
  return importOnce(target, 'protected_branch', input.source_key, () => {
    const { ctx, projectId } = target
    if (input.name.trim() === '' || input.name.length > 255) throw new LandingError('Name is invalid')
    // The instance may already have protected the default branch.
    const existing = importedProtections.protectionByName(ctx.db, projectId, input.name)
    if (existing === undefined) return importedProtections.insertProtection(ctx.db, projectId, input, ctx.now)
    importedProtections.tightenProtection(ctx.db, existing, input, ctx.now)
    return existing
  })
}
