import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fetchAll, type FetchSource } from '../../../git/transport/fetch-all.ts'
import { listBranches, listRefs, updateRefs } from '../../../git/write/refs.ts'
import { repositoryExists, withWriteLock, writeHead } from '../../../git/upkeep/repository.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import {
  prepareRepository,
  projectById,
  protectDefaultBranch,
  repoOf,
  type Project,
} from '../../projects/index.ts'
import { requestStatistics } from '../../repository/index.ts'
import { reasonOf } from './reasons.ts'
import { ImportInterrupted } from '../runs/running.ts'
import { tellProgress } from '../runs/progress.ts'
import { failRun, finishRun, signalOf, startRun } from '../runs/service.ts'

/** Where to copy from, and which branch is shown first there, if it says so. */
export interface Origin {
  readonly source: FetchSource
  readonly head: string | null
}

/**
 * Fills the repository of a project that waits for it, and makes the project ready. `originOf` finds out where the
 * content is. Whatever goes wrong becomes the project's `import_error`. May be repeated after it was cut off.
 */
export async function fillProject(
  ctx: Ctx,
  projectId: number,
  originOf: (repo: Repo, signal: AbortSignal) => Promise<Origin>,
): Promise<void> {
  const begun = startRun(ctx, projectId)
  if (!begun) return
  const { project } = begun
  const signal = signalOf(ctx, projectId)
  const repo = repoOf(ctx, project)
  try {
    await prepareRepository(ctx, project)
    tellProgress(ctx, projectId, { step: 'repository' })
    const { source, head } = await originOf(repo, signal)
    await withWriteLock(repo, async () => {
      await fetchAll(repo, source, { signal })
      signal.throwIfAborted()
      await finish(ctx, project, await chooseHead(repo, [head, project.default_branch, 'main', 'master']))
    })
    requestStatistics(ctx, project.id)
  } catch (error) {
    const why: unknown = signal.aborted ? signal.reason : error
    if (why instanceof ImportInterrupted && why.reason === 'stopping') throw why
    if (signal.aborted) return emptyRepository(ctx, project)
    ctx.log.warn({ err: error, project_id: project.id }, 'a repository could not be copied')
    failRun(ctx, project.id, reasonOf(error, 'The repository could not be copied.'))
  }
}

/** Takes back what a canceled copy may have brought. Where the project was deleted, its repository goes, or is gone. */
async function emptyRepository(ctx: Ctx, project: Project): Promise<void> {
  const repo = repoOf(ctx, project)
  await withWriteLock(repo, async () => {
    if (!projectById(ctx.db, project.id) || !(await repositoryExists(repo))) return
    const refs = await listRefs(repo, 'refs/')
    await updateRefs(
      repo,
      refs.map((one) => ({ ref: one.ref, old: one.oid, new: null })),
    )
  })
}

/** The branch to show first: the first of the wished ones that is there, or any; null without branches. */
async function chooseHead(repo: Repo, wished: readonly (string | null)[]): Promise<string | null> {
  for (const name of wished) {
    if (name !== null && (await branchTip(repo, name)) !== null) return name
  }
  const [first] = await listBranches(repo)
  return first?.name ?? null
}

async function finish(ctx: Ctx, project: Project, head: string | null): Promise<void> {
  if (head !== null) await writeHead(repoOf(ctx, project), head)
  tx(ctx.db, () => {
    const current = projectById(ctx.db, project.id)
    // Deleted or taken back meanwhile.
    if (current?.import_status !== 'started') return
    const columns = {
      empty_repo: head === null,
      default_branch: head ?? current.default_branch,
      last_activity_at: ctx.now,
    }
    if (head !== null) protectDefaultBranch(ctx, { ...current, ...columns })
    finishRun(ctx, project.id, { columns })
  })
}
