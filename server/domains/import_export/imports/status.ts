import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { publish } from '../../../events/publish.ts'
import { GitError } from '../../../git/errors.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import { ForbiddenDestination } from '../../../lib/outbound.ts'
import { withoutCredentials } from '../../../lib/text/url.ts'
import { MAINTAINER } from '../../../policy/levels.ts'
import { roleOnProject } from '../../members/index.ts'
import { ProjectImportScheduled } from '../../projects/events.ts'
import { projectById, projectsByIds, updateProjectRow, type Project } from '../../projects/index.ts'
import { ProjectImportRetried } from '../events.ts'
import type { ImportView, ProgressView } from './entity.ts'
import * as store from './store.ts'

/** An error that ends an import. Its message is for users and becomes the `import_error` unchanged. */
export class ImportFailure extends Error {
  constructor(sentence: string) {
    super(sentence)
    this.name = 'ImportFailure'
  }
}

const MAX_REASON = 500
const INTERNAL_ERROR = 'The import failed because of an error on this instance.'

/** Converts an error to a message for users, without local paths, credentials and stack traces. */
export function reasonOf(error: unknown, fallback = INTERNAL_ERROR): string {
  return cleaned(sentenceOf(error) ?? fallback)
}

function sentenceOf(error: unknown): string | undefined {
  if (error instanceof ImportFailure) return error.message
  if (isForbidden(error)) return 'Requests to the local network are not allowed.'
  if (error instanceof Failure && typeof error.detail === 'string') return error.detail
  if (error instanceof GitError) {
    if (error.reason === 'timeout') return 'The import took too long.'
    return messagesOfGit(error.stderr)
  }
  return error instanceof Error ? messagesOfGit(error.message) : undefined
}

/** The error messages in the output of git; undefined if there are none. */
function messagesOfGit(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => /^(fatal|error|remote):/.test(line))
  return lines.length > 0 ? lines.join(' ') : undefined
}

/** Whether an error means that requests to the destination are forbidden. */
export function isForbidden(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return error instanceof ForbiddenDestination || cause instanceof ForbiddenDestination
}

/** Removes credentials in URLs and local paths from a message. */
export function cleaned(sentence: string): string {
  return sentence
    .replace(/[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/gi, (url) => withoutCredentials(url))
    .replace(/'?(?:\/|[A-Z]:\\)[^\s'"]*@hashed[^\s'"]*'?/g, 'the repository')
    .slice(0, MAX_REASON)
}

function isMaintainer(ctx: Ctx, project: Project): boolean {
  return ctx.actor.is_admin || roleOnProject(ctx, project) >= MAINTAINER
}

/** The status of the import of a project, as the actor may see it. */
export function statusOf(ctx: Ctx, project: Project): ImportView {
  const firstPage = { limit: store.MAX_SHOWN, offset: 0 }
  return {
    project,
    run: store.byProject(ctx.db, project.id),
    failures: store.failuresOf(ctx.db, { project_id: project.id }, firstPage).rows,
    isMaintainer: isMaintainer(ctx, project),
  }
}

/** The progress of the import of a project, for the window. */
export function progressOf(ctx: Ctx, project: Project): ProgressView {
  const failures = store.countFailures(ctx.db, { project_id: project.id })
  return viewOf(ctx, { project, run: store.byProject(ctx.db, project.id), failures })
}

function viewOf(ctx: Ctx, row: Pick<ProgressView, 'project' | 'run' | 'failures'>): ProgressView {
  const { project, run } = row
  return { ...row, isMaintainer: isMaintainer(ctx, project), can_retry: canRetry(ctx.db, project, run) }
}

/** One page of the actor's imports, newest first. */
export function importsOf(
  ctx: Ctx,
  page: { readonly limit: number; readonly offset: number },
): Rows<ProgressView> {
  const { rows: runs, total } = store.runsOfActor(ctx, page)
  const ids = runs.map((run) => run.project_id)
  const projects = new Map(projectsByIds(ctx.db, ids).map((project) => [project.id, project]))
  const failures = store.countFailuresOfProjects(ctx.db, ids)
  const rows = runs.map((run) =>
    viewOf(ctx, { project: projects.get(run.project_id)!, run, failures: failures.get(run.project_id) ?? 0 }),
  )
  return { rows, total }
}

/**
 * Whether a failed import can start again from the stored data. Credentials and archives are already deleted, so
 * `retriable` in the run's source marks imports that need neither. A project with content cannot be imported again,
 * because an import would delete that content.
 */
function canRetry(db: Database, project: Project, run: store.Run | undefined): boolean {
  if (project.import_status !== 'failed' || !project.empty_repo || store.hasContent(db, project.id))
    return false
  if (project.import_type === 'git') return project.import_url !== null
  if (!run || run.overwrites_project_id !== null) return false
  return (JSON.parse(run.source) as { retriable?: boolean }).retriable === true
}

/**
 * Schedules a failed import again. The importer of its type subscribes to the event. Throws 400 if it cannot start
 * again.
 */
export function retryImport(ctx: Ctx, project: Project): Project {
  return tx(ctx.db, () => {
    const run = store.byProject(ctx.db, project.id)
    if (!canRetry(ctx.db, project, run)) throw fail('bad_request', 'The import cannot be started again')
    store.clearFailures(ctx.db, { project_id: project.id })
    updateProjectRow(ctx.db, project.id, { import_status: 'scheduled', import_error: null })
    store.update(ctx.db, project.id, {
      correlation_id: ctx.cause?.uuid ?? ctx.random.id(),
      step: null,
      done: 0,
      total: 0,
      finished_at: null,
      heartbeat_at: ctx.now,
      updated_at: ctx.now,
    })
    const event = { project_id: project.id, actor_id: ctx.actor.id }
    if (project.import_type === 'git') publish(ctx, ProjectImportScheduled, event)
    else publish(ctx, ProjectImportRetried, { ...event, import_type: project.import_type ?? '' })
    return projectById(ctx.db, project.id)!
  })
}
