import { fetchRefs } from '../../../../git/fetch-refs.ts'
import { isObjectId } from '../../../../git/names.ts'
import { withWriteLock } from '../../../../git/repository.ts'
import { resolveCommit } from '../../../../git/revisions.ts'
import { HOST_B_RECOVERY_BRANCHES } from '../../../../http/aliases.ts'
import { inRepository, projectById } from '../../../projects/index.ts'
import { inner, text, whole, type Fields } from '../../github/client/fields.ts'
import { HostProblem } from '../../github/client/problems.ts'
import { repositoryPath, type Work } from '../work.ts'
import { IMPORT_REFS } from './import-refs.ts'
import { remoteOf } from './repository.ts'

interface Lost {
  readonly branch: string
  readonly commit: string
}

/**
 * Commits of pull requests to which nothing leads any more are not in a clone. The other host gets branches that lead to them for
 * a moment (spec administration 6.10), for one page of pull requests at a time.
 */
export async function recoverCommits(work: Work, items: readonly Fields[]): Promise<void> {
  const { ctx, client, source, signal } = work
  const project = projectById(ctx.db, work.projectId)
  if (!project) return
  await inRepository(ctx, project, async (repo) => {
    const lost: Lost[] = []
    for (const one of items.flatMap(ends))
      if ((await resolveCommit(repo, one.commit)) === null) lost.push(one)
    if (lost.length === 0) return
    const path = repositoryPath(source)
    const made: string[] = []
    try {
      for (const { branch, commit } of lost)
        if (await isDone(() => client.createBranch(path, branch, commit))) made.push(branch)
      if (made.length === 0) return
      const remote = await remoteOf(work, await client.one(path))
      const refspec = `+refs/heads/${HOST_B_RECOVERY_BRANCHES}*:${IMPORT_REFS}recovered/*`
      await withWriteLock(repo, () => fetchRefs(repo, remote, [refspec], { signal }))
    } finally {
      for (const branch of made)
        await client
          .removeBranch(path, branch)
          .catch((error: unknown) =>
            ctx.log.warn({ err: error }, 'a branch could not be removed at the other host'),
          )
    }
  })
}

function ends(item: Fields): Lost[] {
  const iid = whole(item, 'id')
  const found = (side: 'from' | 'to'): Lost[] => {
    const commit = text(inner(item, `${side}Ref`), 'latestCommit')
    if (iid === null || commit === null || !isObjectId(commit)) return []
    return [{ branch: `${HOST_B_RECOVERY_BRANCHES}${iid}/${side}`, commit }]
  }
  return [...found('from'), ...found('to')]
}

/** What is really gone there is no branch, and no reason to end. */
async function isDone(make: () => Promise<void>): Promise<boolean> {
  try {
    await make()
    return true
  } catch (error) {
    if (error instanceof HostProblem && !error.isPassing && error.status !== 401) return false
    throw error
  }
}
