import type { Ctx } from '../../../ctx.ts'
import { readFile } from '../../../git/blob.ts'
import { GitError } from '../../../git/errors.ts'
import { branchTip } from '../../../git/revisions.ts'
import { repoOfSnippet, snippetPaths, type SnippetRow } from '../../snippets/index.ts'
import { hookTime, visibilityLevel } from './blocks/index.ts'

/** A file larger than this is not told; whoever wants it has the address. */
const MAX_CONTENT = 1024 * 1024

/** A snippet as events about its notes have it, with its first file (spec administration 3.9). */
export async function snippetBlock(ctx: Ctx, snippet: SnippetRow) {
  const [file_name = null] = snippetPaths(snippet)
  return {
    id: snippet.id,
    title: snippet.title,
    content: file_name === null ? null : await contentOf(ctx, snippet, file_name),
    author_id: snippet.author_id,
    project_id: snippet.project_id,
    created_at: hookTime(snippet.created_at),
    updated_at: hookTime(snippet.updated_at),
    file_name,
    expires_at: null,
    type: snippet.project_id === null ? 'PersonalSnippet' : 'ProjectSnippet',
    visibility_level: visibilityLevel(snippet.visibility),
  }
}

async function contentOf(ctx: Ctx, snippet: SnippetRow, path: string): Promise<string | null> {
  const repo = repoOfSnippet(ctx, snippet)
  try {
    const tip = await branchTip(repo, snippet.default_branch)
    const file = tip === null ? null : await readFile(repo, tip, path, { maxBytes: MAX_CONTENT })
    return file && file.content.toString('utf8')
  } catch (error) {
    if (error instanceof GitError && error.reason === 'output_limit') return null
    throw error
  }
}
