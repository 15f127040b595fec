import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { withoutCredentials } from '../../../lib/text/url.ts'
import { ProjectCreated, ProjectImportEnded } from '../../projects/events.ts'
import {
  forgetImportCredentials,
  prepareRepository,
  projectById,
  updateProjectRow,
  type Project,
  type ProjectColumns,
} from '../../projects/index.ts'
import { ProjectImportProgressed } from '../imports/events.ts'
import { takePlace } from '../imports/overwrite.ts'
import { cleaned } from '../imports/reasons.ts'
import { removeArchives } from './files.ts'
import { endLife, isStopping, runningImport, currentTime } from './running.ts'
import * as store from './store.ts'

const UNDER_WAY = ['scheduled', 'started']

/** How a project is being filled, or was; undefined for one that never was. */
export function runOf(db: Ctx['db'], projectId: number): store.Run | undefined {
  return store.byProject(db, projectId)
}

/** Aborted, with an `ImportInterrupted`, when the import of the project is canceled and when the instance stops. */
export function signalOf(ctx: Pick<Ctx, 'db' | 'now'>, projectId: number): AbortSignal {
  return runningImport(ctx, projectId).controller.signal
}

/**
 * Begins, or goes on after a restart. Null where there is nothing to do (any more): the project is gone, or its import has ended
 * or was canceled. To be called first by the job that fills a project.
 */
export function startRun(
  ctx: Ctx,
  projectId: number,
): { project: Project; run: store.Run | undefined } | null {
  return tx(ctx.db, () => {
    const project = projectById(ctx.db, projectId)
    if (!project || !UNDER_WAY.includes(project.import_status)) return null
    endLife(ctx, projectId)
    runningImport(ctx, projectId)
    store.update(ctx.db, projectId, { heartbeat_at: ctx.now, updated_at: ctx.now })
    const run = store.byProject(ctx.db, projectId)
    if (project.import_status === 'started') return { project, run }
    const started = updateProjectRow(ctx.db, projectId, { import_status: 'started' })
    publish(ctx, ProjectImportProgressed, {
      project_id: projectId,
      actor_id: run?.user_id ?? null,
      step: run?.step ?? null,
    })
    return { project: started, run }
  })
}

/**
 * All is there: the project can be used, and takes the place of the one that it overwrites. `columns` are written in the same
 * transaction. An `import_error` says what is missing all the same. Does nothing where the import was canceled meanwhile.
 */
export function finishRun(
  ctx: Ctx,
  projectId: number,
  more: { import_error?: string | null; columns?: Partial<ProjectColumns> } = {},
): void {
  end(
    ctx,
    projectId,
    'finished',
    { ...more.columns, import_error: more.import_error ?? null },
    (project, run) => {
      const wanted = wantedColumns(run)
      if (Object.keys(wanted).length > 0) updateProjectRow(ctx.db, projectId, wanted)
      if (run?.overwrites_project_id != null) takePlace(ctx, project, run.overwrites_project_id)
    },
  )
}

/** Columns that whoever asked for the import wants to win (spec administration 6.5). Which branch is first is a matter of git. */
function wantedColumns(run: store.Run | undefined): Partial<ProjectColumns> {
  const { default_branch: _branch, ...columns } = JSON.parse(
    run?.override_params ?? '{}',
  ) as Partial<ProjectColumns>
  return columns
}

/**
 * The import has failed; the project stays, and says why. Whoever calls it has removed what was half made. Throws while the
 * instance is stopping, so that the job comes back at the next start.
 */
export function failRun(ctx: Ctx, projectId: number, sentence: string): void {
  if (isStopping(ctx)) signalOf(ctx, projectId).throwIfAborted()
  end(ctx, projectId, 'failed', { import_error: cleaned(sentence) })
}

/**
 * Takes an import back: whoever works on it hears of it, and removes what was half made. Throws 400 for one that has ended, with
 * the contract's sentence.
 */
export function cancelRun(ctx: Ctx, project: Pick<Project, 'id'>): Project {
  const current = projectById(ctx.db, project.id)
  if (!current || !UNDER_WAY.includes(current.import_status))
    throw fail(
      'bad_request',
      `The import cannot be canceled because it is ${current?.import_status ?? 'none'}`,
    )
  end(ctx, project.id, 'canceled', {})
  return projectById(ctx.db, project.id)!
}

function end(
  ctx: Ctx,
  projectId: number,
  status: 'finished' | 'failed' | 'canceled',
  columns: Partial<ProjectColumns>,
  also?: (project: Project, run: store.Run | undefined) => void,
): void {
  const now = currentTime(ctx, projectId)
  tx(ctx.db, () => {
    const project = projectById(ctx.db, projectId)
    // Deleted meanwhile, or taken back.
    if (!project || !UNDER_WAY.includes(project.import_status)) return
    const run = store.byProject(ctx.db, projectId)
    const ready = updateProjectRow(ctx.db, projectId, {
      ...cleared(ctx, project),
      ...columns,
      import_status: status,
    })
    const over = { credentials: null, file: null, waiting_until: null, updated_at: now, finished_at: now }
    store.update(ctx.db, projectId, over)
    also?.(ready, run)
    const ids = { project_id: projectId, actor_id: run?.user_id ?? project.creator_id }
    if (project.repository_state !== 'ready')
      publish(ctx, ProjectCreated, { ...ids, initialize_with_readme: false })
    publish(ctx, ProjectImportEnded, { ...ids, status })
    ctx.db.afterCommit(() => leave(ctx, ready, status))
  })
}

/** Whoever still works on it (it was canceled, or counted as stuck) hears of the end; nothing of the archive is kept. */
function leave(ctx: Ctx, project: Project, status: string): void {
  endLife(ctx, project.id, 'canceled')
  const late = (what: string) => (error: unknown) =>
    ctx.log.warn({ err: error, project_id: project.id }, `${what} of an ended import`)
  removeArchives(ctx, project.id).catch(late('the archive could not be removed'))
  // One that was canceled before it began has none.
  if (status === 'canceled') prepareRepository(ctx, project).catch(late('the repository could not be made'))
}

/** What holds however it ended. Credentials were for this once, unless the project goes on following the address. */
function cleared(ctx: Ctx, project: Project): Partial<ProjectColumns> {
  if (!project.mirror) forgetImportCredentials(ctx, project.id)
  const { import_url } = project
  return { repository_state: 'ready', import_url: import_url && withoutCredentials(import_url) }
}
