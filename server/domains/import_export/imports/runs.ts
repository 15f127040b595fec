import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isStopping } from '../../../jobs/runs.ts'
import { fail } from '../../../lib/fail.ts'
import { withoutCredentials } from '../../../lib/text/url.ts'
import { moveDeployKeys } from '../../repository/index.ts'
import { moveMembers } from '../../members/index.ts'
import { ProjectCreated, ProjectImportEnded } from '../../projects/events.ts'
import {
  removeImportCredentials,
  fullPath,
  moveForks,
  moveSharesAndStars,
  prepareRepository,
  projectById,
  updateProjectRow,
  type Project,
  type ProjectColumns,
  deleteProject,
} from '../../projects/index.ts'
import { ProjectImportProgressed } from '../events.ts'
import { cleaned } from './status.ts'
import { removeArchives } from './files.ts'
import { abortImport, currentTime, dropReport } from './running.ts'
import * as store from './store.ts'

/**
 * Replaces a project by an imported one, which gets its name, path, members, groups, stars and forks. Deletes the
 * replaced project. Must be called in the transaction that ends the import.
 */
function replaceProject(ctx: Ctx, project: Project, replacedId: number): void {
  const replaced = projectById(ctx.db, replacedId)
  if (!replaced || replaced.namespace_id !== project.namespace_id) return
  moveMembers(ctx.db, replaced.id, project.id)
  moveSharesAndStars(ctx.db, replaced.id, project.id)
  moveDeployKeys(ctx.db, replaced.id, project.id)
  moveForks(ctx.db, replaced.id, project.id)
  const { name, path, star_count, forks_count, fork_network_id } = replaced
  deleteProject(ctx, replaced)
  updateProjectRow(ctx.db, project.id, {
    name,
    path,
    star_count,
    forks_count,
    fork_network_id,
    updated_at: ctx.now,
  })
}

const PURPOSE = 'import_runs.credentials'

/** Credentials for the source of an import, by name. Each importer has its own names. */
export type ImportCredentials = Readonly<Record<string, string>>

/** The credentials of an import; empty if they were deleted or never stored. */
export function credentialsOf(
  ctx: Pick<Ctx, 'secrets'>,
  run: Pick<store.Run, 'credentials'>,
): ImportCredentials {
  if (run.credentials === null) return {}
  return JSON.parse(ctx.secrets.open(run.credentials, PURPOSE).toString()) as ImportCredentials
}

const ACTIVE = ['scheduled', 'started']

/** Paths of the projects with a scheduled or running import. */
export function runningImports(ctx: Ctx): string[] {
  return store.activeProjects(ctx.db).flatMap((id) => {
    const project = projectById(ctx.db, id)
    return project ? [fullPath(project)] : []
  })
}

/** The import of a project, running or ended; undefined if there was none. */
export function runOf(db: Ctx['db'], projectId: number): store.Run | undefined {
  return store.byProject(db, projectId)
}

/**
 * Starts an import, or continues it after a restart. The job of an import calls it first. Returns null if the project
 * was deleted or its import has ended.
 */
export function startRun(
  ctx: Ctx,
  projectId: number,
): { project: Project; run: store.Run | undefined } | null {
  return tx(ctx.db, () => {
    const project = projectById(ctx.db, projectId)
    if (!project || !ACTIVE.includes(project.import_status)) return null
    dropReport(ctx, projectId)
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
 * Ends a successful import. The project becomes usable, and replaces the one that it overwrites. `columns` are written
 * in the same transaction. `import_error` describes records that are missing. Does nothing if the import was canceled
 * in the meantime.
 */
export function finishRun(
  ctx: Ctx,
  projectId: number,
  result: { import_error?: string | null; columns?: Partial<ProjectColumns> } = {},
): void {
  endRun(
    ctx,
    projectId,
    'finished',
    { ...result.columns, import_error: result.import_error ?? null },
    (project, run) => {
      const overrides = overrideColumns(run)
      if (Object.keys(overrides).length > 0) updateProjectRow(ctx.db, projectId, overrides)
      if (run?.overwrites_project_id != null) replaceProject(ctx, project, run.overwrites_project_id)
    },
  )
}

/**
 * The columns in `override_params`, which take precedence over the archive (spec administration 6.5). An earlier step
 * sets the default branch in git.
 */
function overrideColumns(run: store.Run | undefined): Partial<ProjectColumns> {
  const { default_branch: _branch, ...columns } = JSON.parse(
    run?.override_params ?? '{}',
  ) as Partial<ProjectColumns>
  return columns
}

/**
 * Ends a failed import. The project stays, with the reason in `import_error`. The caller has removed partial content.
 * Throws while the instance is stopping, so that the job runs again after the next start.
 */
export function failRun(ctx: Ctx, projectId: number, sentence: string): void {
  if (isStopping(ctx.signal)) throw ctx.signal.reason
  endRun(ctx, projectId, 'failed', { import_error: cleaned(sentence) })
}

/**
 * Cancels an import. Its signal is aborted, and its job removes partial content. Throws 400 with the message of the
 * contract for an import that has ended.
 */
export function cancelProjectImport(ctx: Ctx, project: Pick<Project, 'id'>): Project {
  const current = projectById(ctx.db, project.id)
  if (!current || !ACTIVE.includes(current.import_status))
    throw fail(
      'bad_request',
      `The import cannot be canceled because it is ${current?.import_status ?? 'none'}`,
    )
  endRun(ctx, project.id, 'canceled', {})
  return projectById(ctx.db, project.id)!
}

function endRun(
  ctx: Ctx,
  projectId: number,
  status: 'finished' | 'failed' | 'canceled',
  columns: Partial<ProjectColumns>,
  onEnd?: (project: Project, run: store.Run | undefined) => void,
): void {
  const now = currentTime(ctx)
  tx(ctx.db, () => {
    const project = projectById(ctx.db, projectId)
    // The project was deleted or the import was canceled in the meantime.
    if (!project || !ACTIVE.includes(project.import_status)) return
    const run = store.byProject(ctx.db, projectId)
    const ended = updateProjectRow(ctx.db, projectId, {
      ...columnsOfEnd(ctx, project),
      ...columns,
      import_status: status,
    })
    const endColumns = {
      credentials: null,
      file: null,
      waiting_until: null,
      updated_at: now,
      finished_at: now,
    }
    store.update(ctx.db, projectId, endColumns)
    onEnd?.(ended, run)
    const ids = { project_id: projectId, actor_id: run?.user_id ?? project.creator_id }
    if (project.repository_state !== 'ready')
      publish(ctx, ProjectCreated, { ...ids, initialize_with_readme: false })
    publish(ctx, ProjectImportEnded, { ...ids, status })
    ctx.db.afterCommit(() => cleanUp(ctx, ended, status))
  })
}

/** Aborts the job of a canceled or stalled import that still runs, and removes the archive. */
function cleanUp(ctx: Ctx, project: Project, status: string): void {
  abortImport(ctx, project.id)
  const logFailure = (message: string) => (error: unknown) =>
    ctx.log.warn({ err: error, project_id: project.id }, `${message} of an ended import`)
  removeArchives(ctx, project.id).catch(logFailure('the archive could not be removed'))
  // An import that was canceled before it started has not created the repository.
  if (status === 'canceled')
    prepareRepository(ctx, project).catch(logFailure('the repository could not be created'))
}

/**
 * The columns that the end of every import writes. A pull mirror keeps the credentials of its address. Other projects
 * delete them.
 */
function columnsOfEnd(ctx: Ctx, project: Project): Partial<ProjectColumns> {
  if (!project.mirror) removeImportCredentials(ctx, project.id)
  const { import_url } = project
  return { repository_state: 'ready', import_url: import_url && withoutCredentials(import_url) }
}

/** The columns of a new run. */
export interface NewRun {
  /** The type of the import in answers: `git`, `gitlab_project`, or the type of an importer. */
  readonly import_type: string
  /** The name of the source, for users. */
  readonly import_source?: string | null
  /** The URL of the source's page, without credentials. */
  readonly provider_link?: string | null
  /** The data that the importer needs to continue after a restart, without credentials. */
  readonly source?: Readonly<Record<string, unknown>>
  /** Stored encrypted, and deleted when the import ends. */
  readonly credentials?: ImportCredentials
  readonly override_params?: Readonly<Record<string, unknown>>
  /** The project that this one replaces when the import has finished. */
  readonly overwrites_project_id?: number | null
  /** Stored name of the archive. */
  readonly file?: string | null
  /** Whether answers contain the numbers of fetched and imported records. */
  readonly stats?: boolean
  /** The importing user. Default is the actor. */
  readonly user_id?: number | null
}

/**
 * Schedules the import of a project and gives it a correlation ID. Must be called in the transaction that enqueues the
 * job of the import.
 */
export function beginRun(ctx: Ctx, project: Pick<Project, 'id'>, input: NewRun): store.Run {
  abortImport(ctx, project.id)
  store.clearFailures(ctx.db, { project_id: project.id })
  updateProjectRow(ctx.db, project.id, {
    import_type: input.import_type,
    import_status: 'scheduled',
    import_error: null,
  })
  return store.put(ctx.db, project.id, {
    user_id: input.user_id === undefined ? ctx.actor.id : input.user_id,
    overwrites_project_id: input.overwrites_project_id ?? null,
    correlation_id: ctx.cause?.uuid ?? ctx.random.id(),
    import_source: input.import_source ?? null,
    provider_link: input.provider_link ?? null,
    source: JSON.stringify(input.source ?? {}),
    credentials: input.credentials ? ctx.secrets.seal(JSON.stringify(input.credentials), PURPOSE) : null,
    override_params: JSON.stringify(input.override_params ?? {}),
    file: input.file ?? null,
    stats: input.stats ? '{"fetched":{},"imported":{}}' : null,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}
