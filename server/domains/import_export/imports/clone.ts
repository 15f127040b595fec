import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { fetchAll, type FetchSource, remoteHead } from '../../../git/transport/fetch.ts'
import { listBranches, listRefs, updateRefs } from '../../../git/write/refs.ts'
import { repositoryExists, withWriteLock, writeHead } from '../../../git/upkeep/repository.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import type { Repo } from '../../../git/types.ts'
import { isStopping } from '../../../jobs/runs.ts'
import {
  prepareRepository,
  projectById,
  protectDefaultBranch,
  repoOf,
  type Project,
  importSourceOf,
  type ImportSource,
} from '../../projects/index.ts'
import { requestStatistics } from '../../repository/index.ts'
import { reasonOf } from './status.ts'
import { cancelableImport, storeProgress } from './running.ts'
import { failRun, finishRun, startRun } from './runs.ts'

/** The source of a clone, and its default branch, if that is known. */
export interface Origin {
  readonly source: FetchSource
  readonly head: string | null
}

/**
 * Clones a repository into a project with a scheduled import, and ends the import. `originOf` returns the source. An
 * error becomes the project's `import_error`. May be repeated after a crash.
 */
export async function cloneIntoProject(
  ctx: Ctx,
  projectId: number,
  originOf: (repo: Repo, signal: AbortSignal) => Promise<Origin>,
): Promise<void> {
  const started = startRun(ctx, projectId)
  if (!started) return
  await cancelableImport(ctx, projectId, (signal) => clone(ctx, started.project, originOf, signal))
}

async function clone(
  ctx: Ctx,
  project: Project,
  originOf: (repo: Repo, signal: AbortSignal) => Promise<Origin>,
  signal: AbortSignal,
): Promise<void> {
  const repo = repoOf(ctx, project)
  try {
    await prepareRepository(ctx, project)
    storeProgress(ctx, project.id, { step: 'repository' })
    const { source, head } = await originOf(repo, signal)
    await withWriteLock(repo, async () => {
      await fetchAll(repo, source, { signal })
      signal.throwIfAborted()
      await recordSuccess(
        ctx,
        project,
        await findHead(repo, [head, project.default_branch, 'main', 'master']),
      )
    })
    requestStatistics(ctx, project.id)
  } catch (error) {
    if (isStopping(signal)) throw error
    if (signal.aborted) return emptyRepository(ctx, project)
    ctx.log.warn({ err: error, project_id: project.id }, 'a repository could not be copied')
    failRun(ctx, project.id, reasonOf(error, 'The repository could not be copied.'))
  }
}

/** Deletes the refs of a canceled clone. If the project was deleted, its repository is deleted with it. */
async function emptyRepository(ctx: Ctx, project: Project): Promise<void> {
  const repo = repoOf(ctx, project)
  await withWriteLock(repo, async () => {
    if (!projectById(ctx.db, project.id) || !(await repositoryExists(repo))) return
    const refs = await listRefs(repo, 'refs/')
    await updateRefs(
      repo,
      refs.map((ref) => ({ ref: ref.ref, old: ref.oid, new: null })),
    )
  })
}

/** The default branch: the first existing one of the preferred branches, or any branch; null without branches. */
async function findHead(repo: Repo, preferred: readonly (string | null)[]): Promise<string | null> {
  for (const name of preferred) {
    if (name !== null && (await branchTip(repo, name)) !== null) return name
  }
  const [first] = await listBranches(repo)
  return first?.name ?? null
}

async function recordSuccess(ctx: Ctx, project: Project, head: string | null): Promise<void> {
  if (head !== null) await writeHead(repoOf(ctx, project), head)
  tx(ctx.db, () => {
    const current = projectById(ctx.db, project.id)
    // The project was deleted or the import was canceled in the meantime.
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

/** Clones the repository at the `import_url` of a new project into it. */
export function importRepository(ctx: Ctx, projectId: number): Promise<void> {
  const project = projectById(ctx.db, projectId)
  const source = project && importSourceOf(ctx, project)
  return source
    ? cloneIntoProject(ctx, projectId, (repo, signal) => originAt(ctx, repo, { ...source, signal }))
    : Promise.resolve()
}

/** Checks again whether the address may be reached, because the DNS entry or the settings may have changed. */
async function originAt(
  ctx: Ctx,
  repo: Repo,
  { url, authorization, signal }: ImportSource & { readonly signal: AbortSignal },
): Promise<Origin> {
  const source = { url, authorization, address: await ctx.outbound.addressOfUrl(url, 'repository') }
  return { source, head: await remoteHead(repo, source, { signal }) }
}
