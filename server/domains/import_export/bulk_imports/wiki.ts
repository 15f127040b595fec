import { fetchAll, remoteHead } from '../../../git/fetch-all.ts'
import { fillWiki, type WikiOwner } from '../../wikis/index.ts'
import type { Desk } from './desk.ts'
import { apiPathOf } from './source-of.ts'
import { SourceProblem } from './source-problem.ts'

/** Copies the pages of a wiki, if there are any. */
export async function takeWiki(desk: Desk, owner: WikiOwner): Promise<void> {
  if (!(await hasPages(desk))) return
  const { source, signal } = desk
  const url = `${source.url}/${desk.row.source_full_path}.wiki.git`
  const address = await desk.acting.outbound.addressOfUrl(url)
  const remote = { url, authorization: source.authorization, address }
  await fillWiki(desk.now(), owner, async (repo) => {
    await fetchAll(repo, remote, { signal })
    return { head: await remoteHead(repo, remote, { signal }) }
  })
}

/** Instances that have no wikis for groups do not know the address. */
async function hasPages(desk: Desk): Promise<boolean> {
  try {
    return (await desk.source.list(`${apiPathOf(desk.row)}/wikis`)).length > 0
  } catch (error) {
    if (error instanceof SourceProblem && [403, 404].includes(error.status)) return false
    throw error
  }
}
