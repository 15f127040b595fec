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
import { abortImport, currentTime, forgetProgress } from './running.ts'
import * as store from './store.ts'

/**
 * Replaces a project by an imported one, which gets its name, path, members, groups, stars and forks. The replaced
 * project is deleted. Call it inside the transaction that ends the import.
 */
function replaceProject(ctx: Ctx, project: Project, oldId: number): void {
  const old = projectById(ctx.db, oldId)
  if (!old || old.namespace_id !== project.namespace_id) return
  moveMembers(ctx.db, old.id, project.id)
  moveSharesAndStars(ctx.db, old.id, project.id)
  moveDeployKeys(ctx.db, old.id, project.id)
  moveForks(ctx.db, old.id, project.id)
  const { name, path, star_count, forks_count, fork_network_id } = old
  deleteProject(ctx, old)
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

/** Credentials for the source of an import, by the names that its importer gives them. */
export type ImportCredentials = Readonly<Record<string, string>>

/** The credentials of an import; empty if it has none any more. */
export function credentialsOf(
  ctx: Pick<Ctx, 'secrets'>,
  run: Pick<store.Run, 'credentials'>,
): ImportCredentials {
  if (run.credentials === null) return {}
  return JSON.parse(ctx.secrets.open(run.credentials, PURPOSE).toString()) as ImportCredentials
}

const UNDER_WAY = ['scheduled', 'started']

/** Paths of the projects that wait for their import or are imported. */
export function runningImports(ctx: Ctx): string[] {
  return store.allUnderWay(ctx.db).flatMap((id) => {
    const project = projectById(ctx.db, id)
    return project ? [fullPath(project)] : []
  })
}

/** The import of a project, running or ended; undefined if there was none. */
export function runOf(db: Ctx['db'], projectId: number): store.Run | undefined {
  return store.byProject(db, projectId)
}

/**
 * Begins an import, or continues it after a restart. Null if there is nothing to do: the project was deleted, or its
 * import has ended or was canceled. The job that imports a project calls it first.
 */
export function startRun(
  ctx: Ctx,
  projectId: number,
): { project: Project; run: store.Run | undefined } | null {
  return tx(ctx.db, () => {
    const project = projectById(ctx.db, projectId)
    if (!project || !UNDER_WAY.includes(project.import_status)) return null
    forgetProgress(ctx, projectId)
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
 * in the same transaction; `import_error` describes what is missing. Does nothing if the import was canceled in the
 * meantime.
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
      if (run?.overwrites_project_id != null) replaceProject(ctx, project, run.overwrites_project_id)
    },
  )
}

/**
 * Columns of `override_params`, which take precedence over the archive (spec administration 6.5). The default branch is
 * set in git before.
 */
function wantedColumns(run: store.Run | undefined): Partial<ProjectColumns> {
  const { default_branch: _branch, ...columns } = JSON.parse(
    run?.override_params ?? '{}',
  ) as Partial<ProjectColumns>
  return columns
}

/**
 * Ends a failed import. The project stays, with the reason in `import_error`. The caller has removed partial content.
 * Throws while the instance is stopping, so that the job comes back at the next start.
 */
export function failRun(ctx: Ctx, projectId: number, sentence: string): void {
  if (isStopping(ctx.signal)) throw ctx.signal.reason
  end(ctx, projectId, 'failed', { import_error: cleaned(sentence) })
}

/**
 * Cancels an import: its signal aborts, and the job that works on it removes partial content. Throws 400 for an import
 * that has ended, with the contract's sentence.
 */
export function cancelProjectImport(ctx: Ctx, project: Pick<Project, 'id'>): Project {
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
  const now = currentTime(ctx)
  tx(ctx.db, () => {
    const project = projectById(ctx.db, projectId)
    // The project was deleted or the import was canceled in the meantime.
    if (!project || !UNDER_WAY.includes(project.import_status)) return
    const run = store.byProject(ctx.db, projectId)
    const ready = updateProjectRow(ctx.db, projectId, {
      ...cleared(ctx, project),
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
    also?.(ready, run)
    const ids = { project_id: projectId, actor_id: run?.user_id ?? project.creator_id }
    if (project.repository_state !== 'ready')
      publish(ctx, ProjectCreated, { ...ids, initialize_with_readme: false })
    publish(ctx, ProjectImportEnded, { ...ids, status })
    ctx.db.afterCommit(() => leave(ctx, ready, status))
  })
}

/** Aborts a job that still works on the import (it was canceled, or counted as stuck), and removes the archive. */
function leave(ctx: Ctx, project: Project, status: string): void {
  abortImport(ctx, project.id)
  const logFailure = (what: string) => (error: unknown) =>
    ctx.log.warn({ err: error, project_id: project.id }, `${what} of an ended import`)
  removeArchives(ctx, project.id).catch(logFailure('the archive could not be removed'))
  // An import that was canceled before it began has made none.
  if (status === 'canceled')
    prepareRepository(ctx, project).catch(logFailure('the repository could not be created'))
}

/**
 * The columns that every end of an import writes. A project that mirrors the address keeps the credentials; others drop
 * them.
 */
function cleared(ctx: Ctx, project: Project): Partial<ProjectColumns> {
  if (!project.mirror) removeImportCredentials(ctx, project.id)
  const { import_url } = project
  return { repository_state: 'ready', import_url: import_url && withoutCredentials(import_url) }
}

/** The source of an import. */
export interface NewRun {
  /** The type of the import, as answers show it: `git`, `gitlab_project`, or one of an importer. */
  readonly import_type: string
  /** The source in a readable form. */
  readonly import_source?: string | null
  /** The page of that source. Without credentials. */
  readonly provider_link?: string | null
  /** The data that the importer needs after a restart, without credentials. */
  readonly source?: Readonly<Record<string, unknown>>
  /** Kept sealed, dropped when the import ends. */
  readonly credentials?: ImportCredentials
  readonly override_params?: Readonly<Record<string, unknown>>
  /** The project that this one replaces at the end. */
  readonly overwrites_project_id?: number | null
  /** Stored name of the archive. */
  readonly file?: string | null
  /** True if answers count what was fetched and imported. */
  readonly stats?: boolean
  /** The user who imports, if that is not the actor. */
  readonly user_id?: number | null
}

/**
 * Schedules the import of a project and gives it a correlation id. Call it inside the transaction of the caller, who
 * also stores the job that imports.
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
