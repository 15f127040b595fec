import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { Ctx } from '../../../../ctx.ts'
import { createBundle } from '../../../../git/transport/bundle.ts'
import { repositoryExists } from '../../../../git/upkeep/repository.ts'
import type { Repo } from '../../../../git/types.ts'
import { repoOf, type Project } from '../../../projects/index.ts'
import { repoOfSnippet, type SnippetRow } from '../../../snippets/index.ts'
import { wikiRepository } from '../../../wikis/index.ts'
import { bundleNameOf } from '../../relations/snippets.ts'

/** Snippets that are looked up at a time. */
const PAGE = 200

/**
 * Writes the repositories of a project into a folder as its archive has them (spec administration 6.2): the code, the wiki and the
 * snippets. What is empty has no bundle.
 */
export async function writeBundles(
  ctx: Ctx,
  project: Project,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const write = async (repo: Repo, name: string): Promise<void> => {
    signal.throwIfAborted()
    if (await repositoryExists(repo)) await createBundle(repo, join(folder, name), { signal })
  }
  await write(repoOf(ctx, project), 'project.bundle')
  const wiki = wikiRepository(ctx, { project })
  if (wiki) await write(wiki.repo, 'project.wiki.bundle')
  await mkdir(join(folder, 'snippets'), { mode: 0o700 })
  for (let last = 0; ;) {
    const page = ctx.db.many<SnippetRow>(
      "SELECT * FROM snippets WHERE project_id = ? AND repository_state = 'ready' AND id > ? ORDER BY id LIMIT ?",
      project.id,
      last,
      PAGE,
    )
    if (page.length === 0) return
    for (const snippet of page)
      await write(repoOfSnippet(ctx, snippet), `snippets/${bundleNameOf(recordOf(snippet))}.bundle`)
    last = page.at(-1)!.id
  }
}

/** As much of its record in the tree as the name of its bundle is made of. */
function recordOf({ title, description, created_at, updated_at }: SnippetRow) {
  return { title, description, created_at, updated_at }
}
