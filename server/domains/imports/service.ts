import type { Ctx } from '../../ctx.ts'
import { remoteHead } from '../../git/fetch-all.ts'
import type { Repo } from '../../git/types.ts'
import { parseImportUrl, projectById } from '../projects/index.ts'
import { fillProject, type Origin } from './copy.ts'

/** Clones the repository at the `import_url` of a new project into it. */
export function importRepository(ctx: Ctx, projectId: number): Promise<void> {
  const address = projectById(ctx.db, projectId)?.import_url
  return address ? fillProject(ctx, projectId, (repo) => originAt(ctx, repo, address)) : Promise.resolve()
}

/** The guard of outgoing requests is asked again: names may lead elsewhere by now, and settings may have changed. */
async function originAt(ctx: Ctx, repo: Repo, importUrl: string): Promise<Origin> {
  const { url, authorization } = parseImportUrl(importUrl)
  const source = { url, authorization, address: await ctx.outbound.addressOf(new URL(url).hostname) }
  return { source, head: await remoteHead(repo, source) }
}
