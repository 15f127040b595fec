import { fetchRefs } from '../../../../git/fetch-refs.ts'
import type { Remote } from '../../../../git/remote.ts'
import { withWriteLock } from '../../../../git/repository.ts'
import { prepareRepository, projectById, repoOf } from '../../../projects/index.ts'
import { requestStatistics } from '../../../repository/index.ts'
import { inner, records, text, type Fields } from '../../github/client/fields.ts'
import { HostProblem } from '../../github/client/problems.ts'
import { chooseHead } from '../../github/stages/repository.ts'
import { repositoryPath, type Work } from '../work.ts'
import { IMPORT_REFS } from './import-refs.ts'
import type { Stage } from './stage.ts'

/**
 * Branches and tags, the heads of pull requests under the names that merge requests here have for theirs, and what they were made
 * for as long as the import needs it: branches may be gone or elsewhere by now.
 */
const REFSPECS = [
  '+refs/heads/*:refs/heads/*',
  '+refs/tags/*:refs/tags/*',
  '+refs/pull-requests/*/from:refs/merge-requests/*/head',
  `+refs/pull-requests/*/to:${IMPORT_REFS}to/*`,
]

/** The code and its default branch. */
export const repository: Stage = {
  name: 'repository',
  async run(work) {
    const { ctx, projectId, signal } = work
    const found = await work.client.one(repositoryPath(work.source))
    const wanted = await defaultBranch(work)
    const project = projectById(ctx.db, projectId)
    if (!project) return
    await prepareRepository(ctx, project)
    const repo = repoOf(ctx, project)
    const remote = await remoteOf(work, found)
    await withWriteLock(repo, async () => {
      await fetchRefs(repo, remote, REFSPECS, { signal })
      signal.throwIfAborted()
      await chooseHead(work, repo, project, wanted)
    })
    requestStatistics(ctx, projectId)
  },
}

/** The branch that is shown first there; an empty repository has none. */
async function defaultBranch({ client, source }: Work): Promise<string | null> {
  try {
    return text(await client.one(`${repositoryPath(source)}/branches/default`), 'displayId')
  } catch (error) {
    if (error instanceof HostProblem && !error.isPassing && error.status !== 401) return null
    throw error
  }
}

/** Where to clone from; the credentials go only to the host that they are for. */
export async function remoteOf({ ctx, client, source }: Work, found: Fields): Promise<Remote> {
  const links = records(inner(found, 'links')?.['clone'])
  const link = links.find((one) => /^https?$/.test(text(one, 'name') ?? ''))
  const usual = `${client.address.web}/scm/${encodeURIComponent(source.project.toLowerCase())}/${encodeURIComponent(source.repository)}.git`
  const given = URL.parse(text(link ?? null, 'href') ?? '')
  const url = given && /^https?:$/.test(given.protocol) ? given : new URL(usual)
  url.username = url.password = url.search = url.hash = ''
  const isOwn = url.origin === new URL(client.address.web).origin
  return {
    url: url.toString(),
    address: await ctx.outbound.addressOfUrl(url.toString()),
    authorization: isOwn ? client.authorization : undefined,
  }
}
