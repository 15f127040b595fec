import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { CommitAction } from '../../git/commit.ts'
import { createBareRepository, withWriteLock } from '../../git/repository.ts'
import { branchTip, resolveCommit } from '../../git/revisions.ts'
import type { Repo } from '../../git/types.ts'
import { columnsOf, commitFiles, contentOf, repoOfSnippet, type Content } from './repository.ts'
import { pathsOf, type SnippetRow } from './snippet.ts'
import * as store from './store.ts'

/**
 * Fills a snippet that waits for its content (an import) with what `take` brings into its repository; the branch that `take` names is
 * shown. Nobody is told. May be repeated. Throws what `take` throws.
 */
export async function fillSnippet(
  ctx: Ctx,
  snippet: SnippetRow,
  take: (repo: Repo) => Promise<{ readonly head: string | null }>,
): Promise<void> {
  const repo = repoOfSnippet(ctx, snippet)
  await createBareRepository(repo, { defaultBranch: snippet.default_branch })
  await withWriteLock(repo, async () => {
    const { head } = await take(repo)
    const branch = head !== null && (await branchTip(repo, head)) !== null ? head : snippet.default_branch
    const commit = await resolveCommit(repo, `refs/heads/${branch}`)
    const content = commit === null ? { paths: [], bytes: 0 } : await contentOf(repo, commit)
    ready(ctx, snippet, content, branch)
  })
}

/** The same with one file, for snippets that come without a repository. */
export async function fillSnippetWith(
  ctx: Ctx,
  snippet: SnippetRow,
  file: { readonly path: string; readonly content: Buffer },
): Promise<void> {
  const action: CommitAction = { action: 'create', ...file }
  ready(ctx, snippet, await commitFiles(ctx, snippet, [action]), snippet.default_branch)
}

function ready(ctx: Ctx, snippet: SnippetRow, content: Content, default_branch: string): void {
  tx(ctx.db, () =>
    store.update(ctx.db, snippet.id, {
      ...columnsOf(content, pathsOf(snippet)),
      default_branch,
      repository_state: 'ready',
    }),
  )
}
