import { q } from '../../../../db/database.ts'
import { isTagName } from '../../../../git/names.ts'
import { findTag } from '../../../../git/refs.ts'
import { inRepository } from '../../../projects/index.ts'
import { CannotLand } from './cannot-land.ts'
import { landed, once, projectOf, type ImportTarget } from './target.ts'
import type { NewRelease } from './inputs.ts'
import { accountOf, signedText } from './people.ts'
import { timeOf, titleOf } from './texts.ts'

/** See Landing.release. */
export async function landRelease(target: ImportTarget, given: NewRelease): Promise<number | null> {
  const known = landed(target, 'release', given.source_key)
  if (known !== undefined) return known
  if (!isTagName(given.tag)) throw new CannotLand('Tag is not a valid tag name')
  const tag = await inRepository(target.ctx, projectOf(target), (repo) => findTag(repo, given.tag))
  return once(target, 'release', given.source_key, () => insert(target, given, tag?.commit ?? null))
}

function insert(target: ImportTarget, given: NewRelease, sha: string | null): number {
  const { ctx, projectId } = target
  if (ctx.db.one('SELECT 1 FROM releases WHERE project_id = ? AND tag = ?', projectId, given.tag))
    throw new CannotLand('Tag has already been taken')
  const author = accountOf(target, given.author)
  const created_at = timeOf(given.created_at)
  const { id } = ctx.db.run(
    q.insertInto('releases').values({
      project_id: projectId,
      tag: given.tag,
      sha,
      name: titleOf(given.name, given.tag),
      description: signedText(target, author, given.author, given.description),
      author_id: author.id,
      released_at: timeOf(given.released_at),
      created_at,
      updated_at: created_at,
    }),
  )
  for (const { name, url } of given.links ?? []) {
    const times = { created_at, updated_at: created_at }
    if (!isWeb(url)) continue
    const row = { release_id: id, name: titleOf(name, url), url, link_type: 'other', ...times }
    ctx.db.run(
      q
        .insertInto('release_links')
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    )
  }
  return id
}

function isWeb(url: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return !/[\u0000-\u0020\u007f]/.test(url) && ['http:', 'https:'].includes(URL.parse(url)?.protocol ?? '')
}
