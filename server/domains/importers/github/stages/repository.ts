import { isBranchName } from '../../../../git/names.ts'
import { listBranches } from '../../../../git/write/refs.ts'
import { withWriteLock, writeHead } from '../../../../git/upkeep/repository.ts'
import { branchTip } from '../../../../git/read/revisions.ts'
import type { Remote } from '../../../../git/transport/remote.ts'
import type { Repo } from '../../../../git/types.ts'
import { tx } from '../../../../db/database.ts'
import { ImportFailure } from '../../../import_export/index.ts'
import {
  prepareRepository,
  projectById,
  protectDefaultBranch,
  repoOf,
  updateProjectRow,
  type Project,
} from '../../../projects/index.ts'
import { requestStatistics } from '../../../repository/index.ts'
import { flag, HostError, text, type Fields } from '../../hosts/answers.ts'
import { recordFailure } from '../../hosts/work.ts'
import { repoPath, type Work, type Stage } from '../work.ts'
import { remoteHead, fetchRefs } from '../../../../git/transport/fetch.ts'
import { fillWiki } from '../../../wikis/index.ts'

/** Refspecs for branches and tags, and for the heads of pull requests, which become heads of merge requests. */
const REFSPECS = [
  '+refs/heads/*:refs/heads/*',
  '+refs/tags/*:refs/tags/*',
  '+refs/pull/*/head:refs/merge-requests/*/head',
]

/** Stage 1: the repository, its default branch, and the wiki. */
export const repository: Stage = {
  name: 'repository',
  async run(work) {
    const { ctx, projectId, signal } = work
    const answer = await work.client.fetchRecord(repoPath(work))
    const project = projectById(ctx.db, projectId)
    if (!project) return
    await prepareRepository(ctx, project)
    const repo = repoOf(ctx, project)
    const remote = await remoteOf(work, answer, '.git')
    await withWriteLock(repo, async () => {
      await fetchRefs(repo, remote, REFSPECS, { signal })
      signal.throwIfAborted()
      await setDefaultBranch(work, repo, project, text(answer, 'default_branch'))
    })
    requestStatistics(ctx, projectId)
    if (flag(answer, 'has_wiki')) await importWiki(work, project, await remoteOf(work, answer, '.wiki.git'))
  },
}

/** The remote to clone from. The token is sent only to the host of the import. */
export async function remoteOf(work: Work, answer: Fields, suffix: '.git' | '.wiki.git'): Promise<Remote> {
  const url = URL.parse(text(answer, 'clone_url') ?? '')
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ImportFailure('The other host gave no address to clone from.')
  url.username = url.password = url.search = url.hash = ''
  url.pathname = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '') + suffix
  const isSameHost = url.origin === new URL(work.client.address.web).origin
  const basic = Buffer.from(`x-access-token:${work.token}`).toString('base64')
  return {
    url: url.toString(),
    address: await work.ctx.outbound.addressOfUrl(url.toString()),
    authorization: isSameHost ? `Basic ${basic}` : undefined,
  }
}

/** Sets the default branch to that of the other host, or to a branch that exists. */
export async function setDefaultBranch(
  { ctx }: Pick<Work, 'ctx'>,
  repo: Repo,
  project: Project,
  remoteDefault: string | null,
): Promise<void> {
  const names = [remoteDefault, project.default_branch, 'main', 'master'].filter(
    (branch) => branch !== null && isBranchName(branch),
  )
  const tips = await Promise.all(names.map((name) => branchTip(repo, name!)))
  const head = names[tips.findIndex((tip) => tip !== null)] ?? (await listBranches(repo))[0]?.name ?? null
  if (head !== null) await writeHead(repo, head)
  tx(ctx.db, () => {
    const current = projectById(ctx.db, project.id)
    if (!current) return
    const updated = updateProjectRow(ctx.db, project.id, {
      empty_repo: head === null,
      default_branch: head ?? current.default_branch,
      last_activity_at: ctx.now,
    })
    if (head !== null) protectDefaultBranch(ctx, updated)
  })
}

const WIKI_REFSPECS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*']

/** Clones the wiki, if there is one. A failure does not end the import. */
async function importWiki(work: Work, project: Project, remote: Remote): Promise<void> {
  const { ctx, signal } = work
  // A wiki without pages has no repository.
  const head = await remoteHead(repoOf(ctx, project), remote, { signal }).catch(() => undefined)
  signal.throwIfAborted()
  if (head === undefined) return
  try {
    await fillWiki(ctx, { project }, async (repo) => {
      await fetchRefs(repo, remote, WIKI_REFSPECS, { signal })
      return { head }
    })
  } catch (error) {
    signal.throwIfAborted()
    ctx.log.warn({ err: error, project_id: project.id }, 'a wiki could not be cloned')
    recordFailure(work, 'wiki', new HostError(0, 'The wiki could not be cloned.'))
  }
}
