import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { ProjectImportScheduled } from '../../projects/events.ts'
import { projectById, updateProjectRow, type Project } from '../../projects/index.ts'
import { ProjectImportRetried } from './events.ts'
import { clearFailures } from './failures.ts'
import * as store from '../runs/store.ts'

/** Tables of what people make in a project, each by its project. */
const CONTENT = ['issues', 'merge_requests', 'milestones', 'snippets', 'wikis'] as const

/** Whether nobody has begun to use a project whose import failed: an import begins by emptying it. */
function isUntouched(db: Database, { id, empty_repo }: Project): boolean {
  const exists = (table: string): boolean =>
    db.one(`SELECT 1 FROM ${table} WHERE project_id = ? LIMIT 1`, id) !== undefined
  return empty_repo && !CONTENT.some(exists)
}

/**
 * Whether a failed import can be begun anew with what is still known. Credentials and archives are gone by then; `retriable` in the
 * run's source says that neither is needed. Not where somebody uses the project meanwhile: that would be lost.
 */
export function canRetry(db: Database, project: Project, run: store.Run | undefined): boolean {
  if (project.import_status !== 'failed' || !isUntouched(db, project)) return false
  if (project.import_type === 'git') return project.import_url !== null
  if (!run || run.overwrites_project_id !== null) return false
  return (JSON.parse(run.source) as { retriable?: boolean }).retriable === true
}

/** Begins a failed import anew; whoever brings in this type of import reacts to the event. Throws 400 where that cannot be. */
export function retryImport(ctx: Ctx, project: Project): Project {
  return tx(ctx.db, () => {
    const run = store.byProject(ctx.db, project.id)
    if (!canRetry(ctx.db, project, run)) throw fail('bad_request', 'The import cannot be started again')
    clearFailures(ctx.db, { project_id: project.id })
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
