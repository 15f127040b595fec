import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { GitError } from '../../git/errors.ts'
import { fetchAll, type FetchSource } from '../../git/fetch-all.ts'
import { listBranches } from '../../git/refs.ts'
import { withWriteLock, writeHead } from '../../git/repository.ts'
import { branchTip } from '../../git/revisions.ts'
import type { Repo } from '../../git/types.ts'
import { withoutCredentials } from '../../lib/url.ts'
import { ProjectCreated, ProjectImportEnded } from '../projects/events.ts'
import {
  forgetImportCredentials,
  prepareRepository,
  projectById,
  protectDefaultBranch,
  repoOf,
  updateProjectRow,
  type Project,
} from '../projects/index.ts'
import { requestStatistics } from '../repository/index.ts'

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
  originOf: (repo: Repo) => Promise<Origin>,
): Promise<void> {
  const project = projectById(ctx.db, projectId)
  if (!project || !['scheduled', 'started'].includes(project.import_status)) return
  updateProjectRow(ctx.db, project.id, { import_status: 'started' })
  try {
    await prepareRepository(ctx, project)
    const repo = repoOf(ctx, project)
    const { source, head } = await originOf(repo)
    await withWriteLock(repo, async () => {
      await fetchAll(repo, source)
      await finish(ctx, project, await chooseHead(repo, [head, project.default_branch, 'main', 'master']))
    })
    requestStatistics(ctx, project.id)
  } catch (error) {
    ctx.log.warn({ err: error, project_id: project.id }, 'a repository could not be copied')
    giveUp(ctx, project, reasonOf(error))
  }
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
    // Deleted meanwhile; its repository goes with it.
    if (!current) return
    const ready = updateProjectRow(ctx.db, project.id, {
      ...ended(ctx, current),
      import_status: 'finished',
      import_error: null,
      empty_repo: Number(head === null),
      default_branch: head ?? current.default_branch,
      last_activity_at: ctx.now,
    })
    if (head !== null) protectDefaultBranch(ctx, ready)
    tell(ctx, ready, 'finished')
  })
}

/** The project stays, empty and usable, and says what went wrong. */
function giveUp(ctx: Ctx, project: Project, reason: string): void {
  tx(ctx.db, () => {
    const current = projectById(ctx.db, project.id)
    if (!current) return
    const ready = updateProjectRow(ctx.db, project.id, {
      ...ended(ctx, current),
      import_status: 'failed',
      import_error: reason,
    })
    tell(ctx, ready, 'failed')
  })
}

/** What holds however it ended. Credentials were for this once, unless the project goes on following the address. */
function ended(ctx: Ctx, project: Project) {
  if (project.mirror === 0) forgetImportCredentials(ctx, project.id)
  const { import_url } = project
  return { repository_state: 'ready', import_url: import_url && withoutCredentials(import_url) }
}

function tell(ctx: Ctx, project: Project, status: 'finished' | 'failed'): void {
  const ids = { project_id: project.id, actor_id: project.creator_id }
  publish(ctx, ProjectCreated, { ...ids, initialize_with_readme: false })
  publish(ctx, ProjectImportEnded, { ...ids, status })
}

const MAX_REASON = 500

/** What is said to people: git's own words, without folders of this machine and without credentials. */
function reasonOf(error: unknown): string {
  if (error instanceof GitError && error.reason === 'timeout') return 'The import took too long.'
  const text = error instanceof GitError ? error.stderr : error instanceof Error ? error.message : ''
  const lines = text.split('\n').filter((line) => /^(fatal|error|remote):/.test(line))
  const said = (lines.length > 0 ? lines.join(' ') : 'The repository could not be copied.')
    .replace(/[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/gi, (address) => withoutCredentials(address))
    .replace(/'?(?:\/|[A-Z]:\\)[^\s'"]*@hashed[^\s'"]*'?/g, 'the repository')
  return said.slice(0, MAX_REASON)
}
