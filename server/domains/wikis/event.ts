import type { Ctx } from '../../ctx.ts'
import { lastCommitFor } from '../../git/log.ts'
import { Failure } from '../../lib/fail.ts'
import { readPage, reading } from './pages.ts'
import type { WikiOwner } from './wiki.ts'

/** The text of a page as a commit has it, for those who are told of it; null where it is gone. */
export async function wikiText(
  ctx: Ctx,
  owner: WikiOwner,
  { slug, version }: { readonly slug: string; readonly version: string },
): Promise<string | null> {
  try {
    return (await readPage(ctx, owner, slug, version)).content
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'not_found' || error.kind === 'too_large')) return null
    throw error
  }
}

/** A page to try webhooks with: the first by title, with the commit that changed it last. Undefined without any. */
export function firstWikiPage(ctx: Ctx, owner: WikiOwner) {
  return reading(ctx, owner, async ({ repo, tip, index }) => {
    const [page] = index.pages
    const last = page && tip ? await lastCommitFor(repo, tip, page.path) : null
    if (!page || !last) return undefined
    const { slug, title, format } = page
    return { slug, title, format, message: last.message, commit: last.id }
  })
}
