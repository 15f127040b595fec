import { fetchRefs } from '../../../../git/transport/fetch-refs.ts'
import type { Remote } from '../../../../git/transport/remote.ts'
import { withWriteLock } from '../../../../git/upkeep/repository.ts'
import { inRepository, prepareRepository, projectById, repoOf } from '../../../projects/index.ts'
import { requestStatistics } from '../../../repository/index.ts'
import { inner, records, text, integer, type Fields, HostProblem } from '../../hosts/answers.ts'
import { chooseHead } from '../../github/stages/repository.ts'
import { repositoryPath, type Work, type Stage } from '../work.ts'
import { listRefs, updateRefs } from '../../../../git/write/refs.ts'
import type { Repo } from '../../../../git/types.ts'
import { isObjectId } from '../../../../git/names.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import { HOST_B_RECOVERY_BRANCHES } from '../../../../lib/aliases.ts'

/** Refs that the import needs while it runs; git hides them. */
export const IMPORT_REFS = 'refs/import/'

/**
 * Branches and tags, the heads of pull requests as heads of merge requests, and the targets of pull requests while the
 * import runs: target branches may have been deleted or moved.
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
    const answer = await work.client.one(repositoryPath(work.source))
    const wanted = await defaultBranch(work)
    const project = projectById(ctx.db, projectId)
    if (!project) return
    await prepareRepository(ctx, project)
    const repo = repoOf(ctx, project)
    const remote = await remoteOf(work, answer)
    await withWriteLock(repo, async () => {
      await fetchRefs(repo, remote, REFSPECS, { signal })
      signal.throwIfAborted()
      await chooseHead(work, repo, project, wanted)
    })
    requestStatistics(ctx, projectId)
  },
}

/** The default branch of the other host; an empty repository has none. */
async function defaultBranch({ client, source }: Work): Promise<string | null> {
  try {
    return text(await client.one(`${repositoryPath(source)}/branches/default`), 'displayId')
  } catch (error) {
    if (error instanceof HostProblem && !error.isPassing && error.status !== 401) return null
    throw error
  }
}

/** The URL to clone from; the credentials are sent to the host of the import only. */
export async function remoteOf({ ctx, client, source }: Work, answer: Fields): Promise<Remote> {
  const links = records(inner(answer, 'links')?.['clone'])
  const link = links.find((entry) => /^https?$/.test(text(entry, 'name') ?? ''))
  const fallback = `${client.address.web}/scm/${encodeURIComponent(source.project.toLowerCase())}/${encodeURIComponent(source.repository)}.git`
  const input = URL.parse(text(link ?? null, 'href') ?? '')
  const url = input && /^https?:$/.test(input.protocol) ? input : new URL(fallback)
  url.username = url.password = url.search = url.hash = ''
  const isOwn = url.origin === new URL(client.address.web).origin
  return {
    url: url.toString(),
    address: await ctx.outbound.addressOfUrl(url.toString()),
    authorization: isOwn ? client.authorization : undefined,
  }
}

/** Deletes the refs of the import. */
export async function dropImportRefs(repo: Repo): Promise<void> {
  await withWriteLock(repo, async () => {
    const refs = await listRefs(repo, IMPORT_REFS)
    if (refs.length === 0) return
    await updateRefs(
      repo,
      refs.map(({ ref, oid }) => ({ ref, old: oid, new: null })),
    )
  })
}

interface UnreachableCommit {
  readonly branch: string
  readonly commit: string
}

/**
 * Fetches commits of pull requests that are not reachable from a ref, which a clone does not contain. It creates
 * temporary branches on the other host (spec administration 6.10), for one page of pull requests at a time.
 */
export async function recoverCommits(work: Work, items: readonly Fields[]): Promise<void> {
  const { ctx, client, source, signal } = work
  const project = projectById(ctx.db, work.projectId)
  if (!project) return
  await inRepository(ctx, project, async (repo) => {
    const lost: UnreachableCommit[] = []
    for (const commit of items.flatMap(ends))
      if ((await resolveCommit(repo, commit.commit)) === null) lost.push(commit)
    if (lost.length === 0) return
    const path = repositoryPath(source)
    const createdBranches: string[] = []
    try {
      for (const { branch, commit } of lost)
        if (await isDone(() => client.createBranch(path, branch, commit))) createdBranches.push(branch)
      if (createdBranches.length === 0) return
      const remote = await remoteOf(work, await client.one(path))
      const refspec = `+refs/heads/${HOST_B_RECOVERY_BRANCHES}*:${IMPORT_REFS}recovered/*`
      await withWriteLock(repo, () => fetchRefs(repo, remote, [refspec], { signal }))
    } finally {
      for (const branch of createdBranches)
        await client
          .removeBranch(path, branch)
          .catch((error: unknown) =>
            ctx.log.warn({ err: error }, 'a branch could not be removed at the other host'),
          )
    }
  })
}

function ends(item: Fields): UnreachableCommit[] {
  const iid = integer(item, 'id')
  const commitsOf = (side: 'from' | 'to'): UnreachableCommit[] => {
    const commit = text(inner(item, `${side}Ref`), 'latestCommit')
    if (iid === null || commit === null || !isObjectId(commit)) return []
    return [{ branch: `${HOST_B_RECOVERY_BRANCHES}${iid}/${side}`, commit }]
  }
  return [...commitsOf('from'), ...commitsOf('to')]
}

/** False if the other host refuses, for example for a deleted commit; the import continues. */
async function isDone(make: () => Promise<void>): Promise<boolean> {
  try {
    await make()
    return true
  } catch (error) {
    if (error instanceof HostProblem && !error.isPassing && error.status !== 401) return false
    throw error
  }
}
