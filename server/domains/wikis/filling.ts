import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { withWriteLock, writeHead } from '../../git/repository.ts'
import { branchTip } from '../../git/revisions.ts'
import type { Repo } from '../../git/types.ts'
import { prepareWiki, repoOfWiki } from './repository.ts'
import { requestSize } from './size.ts'
import * as store from './store.ts'
import type { WikiOwner } from './wiki.ts'

/**
 * Fills a wiki with what `take` brings into its repository (an import), which is made where there is none, and reads pages from
 * the branch that `take` names, if it is there. Nobody is told of the pages. May be repeated. Throws what `take` throws.
 */
export async function fillWiki(
  ctx: Ctx,
  owner: WikiOwner,
  take: (repo: Repo) => Promise<{ readonly head: string | null }>,
): Promise<void> {
  const wiki = await prepareWiki(ctx, owner)
  const repo = repoOfWiki(ctx, wiki)
  await withWriteLock(repo, async () => {
    const { head } = await take(repo)
    const branch = head !== null && (await branchTip(repo, head)) !== null ? head : wiki.default_branch
    if (branch !== wiki.default_branch) await writeHead(repo, branch)
    tx(ctx.db, () => {
      store.setBranch(ctx.db, wiki.id, branch)
      store.touch(ctx.db, wiki.id, ctx.now)
      requestSize(ctx, wiki.id)
    })
  })
}
