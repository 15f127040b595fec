import { fetchAll, remoteHead } from '../../../git/transport/fetch-all.ts'
import { fillWiki, type WikiOwner } from '../../wikis/index.ts'
import type { EntityRun } from './entity-run.ts'
import { apiPathOf } from './source-of.ts'
import { SourceProblem } from './source-problem.ts'

/** Copies the pages of a wiki, if there are any. */
export async function takeWiki(run: EntityRun, owner: WikiOwner): Promise<void> {
  if (!(await hasPages(run))) return
  const { source, signal } = run
  const url = `${source.url}/${run.row.source_full_path}.wiki.git`
  const address = await run.acting.outbound.addressOfUrl(url)
  const remote = { url, authorization: source.authorization, address }
  await fillWiki(run.now(), owner, async (repo) => {
    await fetchAll(repo, remote, { signal })
    return { head: await remoteHead(repo, remote, { signal }) }
  })
}

/** Instances that have no wikis for groups do not know the address. */
async function hasPages(run: EntityRun): Promise<boolean> {
  try {
    return (await run.source.list(`${apiPathOf(run.row)}/wikis`)).length > 0
  } catch (error) {
    if (error instanceof SourceProblem && [403, 404].includes(error.status)) return false
    throw error
  }
}
