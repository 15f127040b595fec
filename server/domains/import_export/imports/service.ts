import type { Ctx } from '../../../ctx.ts'
import { remoteHead } from '../../../git/transport/fetch-all.ts'
import type { Repo } from '../../../git/types.ts'
import { importSourceOf, projectById, type ImportSource } from '../../projects/index.ts'
import { fillProject, type Origin } from './copy.ts'

/** Clones the repository at the `import_url` of a new project into it. */
export function importRepository(ctx: Ctx, projectId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  const from = project && importSourceOf(ctx, project)
  return from
    ? fillProject(ctx, projectId, (repo, signal) => originAt(ctx, repo, { ...from, signal }))
    : Promise.resolve()
}

/** The guard of outgoing requests is asked again: names may lead elsewhere by now, and settings may have changed. */
async function originAt(
  ctx: Ctx,
  repo: Repo,
  { url, authorization, signal }: ImportSource & { readonly signal: AbortSignal },
): Promise<Origin> {
  const source = { url, authorization, address: await ctx.outbound.addressOfUrl(url, 'repository') }
  return { source, head: await remoteHead(repo, source, { signal }) }
}
