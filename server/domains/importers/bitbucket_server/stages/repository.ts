import { fetchRefs } from '../../../../git/transport/fetch.ts'
import type { Remote } from '../../../../git/transport/remote.ts'
import { withWriteLock } from '../../../../git/upkeep/repository.ts'
import { inRepository, prepareRepository, projectById, repoOf } from '../../../projects/index.ts'
import { requestStatistics } from '../../../repository/index.ts'
import { recordIn, records, text, integer, type Fields, HostError } from '../../hosts/answers.ts'
import { setDefaultBranch } from '../../github/stages/repository.ts'
import { repositoryPath, type Work, type Stage } from '../work.ts'
import { listRefs, updateRefs } from '../../../../git/write/refs.ts'
import type { Repo } from '../../../../git/types.ts'
import { isObjectId } from '../../../../git/names.ts'
import { resolveCommit } from '../../../../git/read/revisions.ts'
import { HOST_B_RECOVERY_BRANCHES } from '../../../../lib/aliases.ts'

/** Prefix of refs that the import needs while it runs. Clients of git do not see them. */
const IMPORT_REFS = 'refs/import/'

/**
 * Refspecs for branches and tags, and for the heads of pull requests, which become heads of merge requests. The targets
 * of pull requests are fetched for the time of the import, because target branches may have been deleted or moved.
 */
const REFSPECS = [
  '+refs/heads/*:refs/heads/*',
  '+refs/tags/*:refs/tags/*',
  '+refs/pull-requests/*/from:refs/merge-requests/*/head',
  `+refs/pull-requests/*/to:${IMPORT_REFS}to/*`,
]

/** Imports the repository and its default branch. */
export const repository: Stage = {
  name: 'repository',
  async run(work) {
    const { ctx, projectId, signal } = work
    const answer = await work.client.fetchRecord(repositoryPath(work.source))
    const branch = await fetchDefaultBranch(work)
    const project = projectById(ctx.db, projectId)
    if (!project) return
    await prepareRepository(ctx, project)
    const repo = repoOf(ctx, project)
    const remote = await remoteOf(work, answer)
    await withWriteLock(repo, async () => {
      await fetchRefs(repo, remote, REFSPECS, { signal })
      signal.throwIfAborted()
      await setDefaultBranch(work, repo, project, branch)
    })
    requestStatistics(ctx, projectId)
  },
}

/** The default branch at the other host; null for an empty repository. */
async function fetchDefaultBranch({ client, source }: Work): Promise<string | null> {
  try {
    return text(await client.fetchRecord(`${repositoryPath(source)}/branches/default`), 'displayId')
  } catch (error) {
    if (error instanceof HostError && !error.isTemporary && error.status !== 401) return null
    throw error
  }
}

/** The remote to clone from. Credentials are sent only to the host of the import. */
export async function remoteOf({ ctx, client, source }: Work, answer: Fields): Promise<Remote> {
  const links = records(recordIn(answer, 'links')?.['clone'])
  const link = links.find((entry) => /^https?$/.test(text(entry, 'name') ?? ''))
  const fallback = `${client.address.web}/scm/${encodeURIComponent(source.project.toLowerCase())}/${encodeURIComponent(source.repository)}.git`
  const input = URL.parse(text(link ?? null, 'href') ?? '')
  const url = input && /^https?:$/.test(input.protocol) ? input : new URL(fallback)
  url.username = url.password = url.search = url.hash = ''
  const isSameHost = url.origin === new URL(client.address.web).origin
  return {
    url: url.toString(),
    address: await ctx.outbound.addressOfUrl(url.toString()),
    authorization: isSameHost ? client.authorization : undefined,
  }
}

/** Deletes the refs that only the import needed. */
export async function deleteImportRefs(repo: Repo): Promise<void> {
  await withWriteLock(repo, async () => {
    const refs = await listRefs(repo, IMPORT_REFS)
    if (refs.length === 0) return
    await updateRefs(
      repo,
      refs.map(({ ref, oid }) => ({ ref, old: oid, new: null })),
    )
  })
}

/** A commit, and the temporary branch that makes it reachable. */
interface UnreachableCommit {
  readonly branch: string
  readonly commit: string
}

/**
 * Fetches commits of pull requests that a clone lacks because no ref reaches them. Creates temporary branches at the
 * other host for them (spec administration 6.10), for one page of pull requests at a time.
 */
export async function recoverCommits(work: Work, items: readonly Fields[]): Promise<void> {
  const { ctx, client, source, signal } = work
  const project = projectById(ctx.db, work.projectId)
  if (!project) return
  await inRepository(ctx, project, async (repo) => {
    const unreachable: UnreachableCommit[] = []
    for (const commit of items.flatMap(commitsOf))
      if ((await resolveCommit(repo, commit.commit)) === null) unreachable.push(commit)
    if (unreachable.length === 0) return
    const path = repositoryPath(source)
    const createdBranches: string[] = []
    try {
      for (const { branch, commit } of unreachable)
        if (await succeeds(() => client.createBranch(path, branch, commit))) createdBranches.push(branch)
      if (createdBranches.length === 0) return
      const remote = await remoteOf(work, await client.fetchRecord(path))
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

function commitsOf(item: Fields): UnreachableCommit[] {
  const iid = integer(item, 'id')
  const commitOf = (side: 'from' | 'to'): UnreachableCommit[] => {
    const commit = text(recordIn(item, `${side}Ref`), 'latestCommit')
    if (iid === null || commit === null || !isObjectId(commit)) return []
    return [{ branch: `${HOST_B_RECOVERY_BRANCHES}${iid}/${side}`, commit }]
  }
  return [...commitOf('from'), ...commitOf('to')]
}

/** Returns false if the other host refuses a request, for example for a deleted commit. The import continues then. */
async function succeeds(request: () => Promise<void>): Promise<boolean> {
  try {
    await request()
    return true
  } catch (error) {
    if (error instanceof HostError && !error.isTemporary && error.status !== 401) return false
    throw error
  }
}
