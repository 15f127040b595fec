import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import { enqueue, cron, type CronLine } from '../../../jobs/job.ts'
import { fail, Failure, invalid, notFound, type FailureKind } from '../../../lib/fail.ts'
import { project as projectScope, type Project } from '../../projects/index.ts'
import { publishEnvironment } from './service-events.ts'
import { removeEnvironmentRefs, stopStale } from './jobs.ts'
import { environmentSlug, folderOf, nameProblems, urlProblems, type Tier } from './validation.ts'
import { insertEnvironment, type NewEnvironment } from './prepare.ts'
import * as store from './store.ts'
import type { EnvironmentFilter, EnvironmentRow } from './store.ts'
import { showEnvironments, type EnvironmentView } from './views.ts'
import { addDays } from '../../../lib/clock.ts'
import type { JobRow } from '../jobs/store.ts'
import { manualJobsTo } from './store-jobs.ts'
import { hasAbility } from '../../../policy/ability.ts'
import { abilities } from '../policy.ts'
import { changeEnvironment, stopAll } from './stop.ts'

const MIN_SEARCH = 3

/** The fields of an environment that users can change. */
export interface EnvironmentChanges {
  readonly name?: string | undefined
  readonly external_url?: string | null | undefined
  readonly tier?: Tier | undefined
}

/** Returns a page of the environments of a project. Throws 400 for invalid filters. */
export async function listEnvironments(
  ctx: Ctx,
  project: Project,
  filter: Omit<EnvironmentFilter, 'project_id'>,
  paging: { readonly limit: number; readonly offset: number },
): Promise<Rows<EnvironmentView>> {
  if (filter.name !== undefined && filter.search !== undefined)
    throw fail('parameter', 'name, search cannot be used together')
  if (filter.search && filter.search.length < MIN_SEARCH)
    throw fail('bad_request', `400 Bad request - Search query is less than ${MIN_SEARCH} characters`)
  const result = store.list(ctx.db, { ...filter, project_id: project.id }, paging)
  return { ...result, rows: await showEnvironments(ctx, project, result.rows) }
}

/** Returns an environment of a project. Throws `404 Environment Not Found`. */
export function findEnvironment(ctx: Pick<Ctx, 'db'>, project: Project, id: number): EnvironmentRow {
  const row = store.byId(ctx.db, project.id, id)
  if (!row) throw notFound('Environment')
  return row
}

/** Returns an environment with its last deployment. Throws 404. */
export async function getEnvironment(ctx: Ctx, project: Project, id: number): Promise<EnvironmentView> {
  const [view] = await showEnvironments(ctx, project, [findEnvironment(ctx, project, id)])
  return view!
}

/** Throws 400 if a request sets the slug, because users cannot choose it. */
export function checkSlug(slug: string | undefined): void {
  if (slug !== undefined) throw fail('parameter', 'slug is automatically generated and cannot be changed')
}

/** Creates an environment. Throws 400 with the errors of each field. */
export function createEnvironment(ctx: Ctx, project: Project, input: NewEnvironment): EnvironmentRow {
  return tx(ctx.db, () => {
    check(ctx, project, input)
    return insertEnvironment(ctx, project.id, input)
  })
}

/** Updates an environment. Its slug never changes. Throws 400 with the errors of each field. */
export function updateEnvironment(
  ctx: Ctx,
  project: Project,
  before: EnvironmentRow,
  { name = before.name, external_url, tier }: EnvironmentChanges,
): EnvironmentRow {
  return tx(ctx.db, () => {
    check(ctx, project, { name, external_url }, before)
    const row = store.update(ctx.db, before.id, {
      name,
      environment_type: folderOf(name),
      ...(external_url === undefined ? {} : { external_url: external_url || null }),
      ...(tier === undefined ? {} : { tier }),
      updated_at: ctx.now,
    })
    publishEnvironment(ctx, row)
    return row
  })
}

/** Deletes an environment with its deployments. Throws 403 unless it is stopped. */
export function deleteEnvironment(ctx: Ctx, row: EnvironmentRow): void {
  if (row.state !== 'stopped') throw fail('forbidden')
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publishEnvironment(ctx, { ...row, state: 'removed' })
    enqueue(ctx, removeEnvironmentRefs, { project_id: row.project_id, slug: row.slug })
  })
}

function check(
  ctx: Ctx,
  project: Project,
  { name, external_url }: NewEnvironment,
  before?: EnvironmentRow,
): void {
  const errors: Record<string, string[]> = {}
  const nameErrors = name === before?.name ? [] : nameProblems(name)
  if (nameErrors.length > 0) errors['name'] = nameErrors
  const existing = store.byName(ctx.db, project.id, name)
  if (existing && existing.id !== before?.id) errors['name'] = [...nameErrors, 'has already been taken']
  if (!before && store.bySlug(ctx.db, project.id, environmentSlug(name)))
    errors['slug'] = ['has already been taken']
  const urlErrors = external_url ? urlProblems(external_url) : []
  if (urlErrors.length > 0) errors['external_url'] = urlErrors
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

const WEEK_DAYS = 7
const TEN_YEARS_DAYS = 3652

/**
 * Stops the environments of a project that have had no deployment since the given time, in the background (spec ci 5.1).
 * Throws 400 unless the time is between ten years and one week ago.
 */
export function stopStaleEnvironments(ctx: Ctx, project: Project, before: string): string {
  if (before > addDays(ctx.now, -WEEK_DAYS) || before < addDays(ctx.now, -TEN_YEARS_DAYS))
    throw fail('bad_request', '400 Bad request - Invalid Date')
  enqueue(ctx, stopStale, { project_id: project.id, user_id: ctx.actor.id, before })
  return 'Successfully requested stop for all stale environments'
}

/** The manual jobs that promote the last deployment of one environment to another one (`manualJobsTo`). */
export function manualJobsFor(
  ctx: Pick<Ctx, 'db'>,
  project: Pick<Project, 'id'>,
  names: { from: string; to: string },
): JobRow[] {
  return manualJobsTo(ctx.db, project.id, names)
}

/** The number of days until a scheduled deletion. Until then the environment can be started again. */
const GRACE_DAYS = 7
const DEFAULT_AGE_DAYS = 30
const NONE_FOUND =
  'No environments found for scheduled deletion. Either your query did not match any environments (default parameters ' +
  'match environments that are 30 days or older), or you have insufficient permissions to delete matching environments.'
const NOT_PERMITTED = 'You do not have permission to destroy environments in this project'

/** A request to delete review apps. A dry run only lists them. */
export interface ReviewAppsRequest {
  readonly before?: string | undefined
  readonly limit: number
  readonly dry_run: boolean
}

/** The result of scheduling deletions. */
export interface ScheduledReviewApps {
  readonly scheduled: readonly EnvironmentRow[]
}

/**
 * Schedules the deletion of stopped review apps in a week, the oldest first (spec ci 5.1). Throws 400 if there are none,
 * and 401 if the actor may not delete them, both with empty lists in the body.
 */
export function scheduleReviewApps(
  ctx: Ctx,
  project: Project,
  request: ReviewAppsRequest,
): ScheduledReviewApps {
  if (!hasAbility(ctx, projectScope, abilities.destroy_environment, project, true))
    throw refused('unauthorized', NOT_PERMITTED)
  return tx(ctx.db, () => {
    const before = request.before ?? addDays(ctx.now, -DEFAULT_AGE_DAYS)
    const rows = store.deletableReviewApps(ctx.db, project.id, before, request.limit)
    if (rows.length === 0) throw refused('bad_request', NONE_FOUND)
    const auto_delete_at = addDays(ctx.now, GRACE_DAYS)
    if (!request.dry_run) for (const row of rows) changeEnvironment(ctx, row, { auto_delete_at })
    return { scheduled: rows }
  })
}

function refused(kind: FailureKind, message: string): Failure {
  return new Failure(kind, undefined, {
    body: { scheduled_entries: [], unprocessable_entries: [], message },
  })
}

/** The maximum number of environments per run. The next run handles the rest. */
const BATCH = 500

function stopDue(ctx: Ctx): void {
  stopAll(ctx, store.dueToStop(ctx.db, ctx.now, BATCH))
}

function deleteDue(ctx: Ctx): void {
  for (const row of store.dueToDelete(ctx.db, ctx.now, BATCH)) deleteEnvironment(ctx, row)
}

/** The number of days after which an environment with unfinished stop jobs becomes available again. */
const MAX_STOPPING_DAYS = 7

function recoverStopping(ctx: Ctx): void {
  for (const row of store.stoppingSince(ctx.db, addDays(ctx.now, -MAX_STOPPING_DAYS)))
    tx(ctx.db, () => changeEnvironment(ctx, row, { state: 'available' }))
}

export const crons: CronLine[] = [
  cron('ci.stop_environments', '* * * * *', stopDue),
  cron('ci.delete_environments', '24 * * * *', deleteDue),
  cron('ci.recover_environments', '42 4 * * *', recoverStopping),
]
