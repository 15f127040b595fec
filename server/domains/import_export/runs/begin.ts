import type { Ctx } from '../../../ctx.ts'
import { updateProjectRow, type Project } from '../../projects/index.ts'
import { clearFailures } from '../imports/failures.ts'
import { sealCredentials, type ImportCredentials } from './credentials.ts'
import { endLife } from './running.ts'
import * as store from './store.ts'

/** What a project is to be filled from. */
export interface NewRun {
  /** `gitlab_project`, `hostA`, `hostB_server`, `git`; what answers show. */
  readonly import_type: string
  /** Where it comes from as people read it. */
  readonly import_source?: string | null
  /** The page of that source. Without credentials. */
  readonly provider_link?: string | null
  /** What is needed to go on after a restart. Without credentials. */
  readonly source?: Readonly<Record<string, unknown>>
  /** Kept sealed, dropped when the import ends. */
  readonly credentials?: ImportCredentials
  readonly override_params?: Readonly<Record<string, unknown>>
  /** The project whose place this one takes when all is well. */
  readonly overwrites_project_id?: number | null
  /** Stored name of the archive. */
  readonly file?: string | null
  /** True where answers count what was fetched and imported. */
  readonly stats?: boolean
  /** Whose import it is, where that is not the caller. */
  readonly user_id?: number | null
}

/**
 * Notes that a project is to be filled: it becomes `scheduled` and has a correlation id. Inside the transaction of the caller, who
 * also stores the job that fills it.
 */
export function beginRun(ctx: Ctx, project: Pick<Project, 'id'>, given: NewRun): store.Run {
  endLife(ctx, project.id, 'canceled')
  clearFailures(ctx.db, { project_id: project.id })
  updateProjectRow(ctx.db, project.id, {
    import_type: given.import_type,
    import_status: 'scheduled',
    import_error: null,
  })
  return store.put(ctx.db, project.id, {
    user_id: given.user_id === undefined ? ctx.actor.id : given.user_id,
    overwrites_project_id: given.overwrites_project_id ?? null,
    correlation_id: ctx.cause?.uuid ?? ctx.random.id(),
    import_source: given.import_source ?? null,
    provider_link: given.provider_link ?? null,
    source: JSON.stringify(given.source ?? {}),
    credentials: given.credentials ? sealCredentials(ctx, given.credentials) : null,
    override_params: JSON.stringify(given.override_params ?? {}),
    file: given.file ?? null,
    stats: given.stats ? '{"fetched":{},"imported":{}}' : null,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
}
