import { tx } from '../../../db/database.ts'
import { MIGRATION_SOURCE } from '../../../lib/aliases.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import type { Visibility } from '../../../policy/levels.ts'
import { createGroup, findGroup, type Group, group as scope, mayCreateGroup } from '../../groups/index.ts'
import { insertProject, projectById, mayCreateIn } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { targetFor, type ImportTarget } from '../imports/target.ts'
import { groupColumns, narrowestOf } from '../relations/groups.ts'
import type { Fields } from '../relations/relation.ts'
import { beginRun } from '../imports/runs.ts'
import type { EntityRun } from './work.ts'
import { importGroup, importProject } from './importing.ts'
import { apiPathOf } from './source.ts'
import { destinationOf, type EntityRow, type Step } from './state.ts'
import * as store from './store.ts'
import { ask, wait } from './waiting.ts'
import type { Ctx } from '../../../ctx.ts'
import { findNamespace } from '../../namespaces/index.ts'
import { canRead } from '../../../policy/ability.ts'

const LISTS = [
  { source_type: 'group_entity', list: 'subgroups', path: 'full_path' },
  { source_type: 'project_entity', list: 'projects', path: 'path_with_namespace' },
] as const

/** Stores the subgroups and projects directly below a group, to be migrated next. */
async function children(run: EntityRun): Promise<void> {
  for (const { source_type, list, path } of LISTS) {
    if (source_type === 'project_entity' && !run.row.migrate_projects) continue
    const only = source_type === 'project_entity' ? '?with_shared=false&simple=true' : ''
    for await (const rows of run.source.pages(`${apiPathOf(run.row)}/${list}${only}`)) {
      const entities = rows.flatMap((row) => childOf(run.row, source_type, row, path))
      const { now } = run.now()
      run.signal.throwIfAborted()
      tx(run.acting.db, () => {
        for (const entity of entities) store.insertEntity(run.acting.db, entity, now)
      })
    }
  }
}

function childOf(
  parent: EntityRow,
  source_type: EntityRow['source_type'],
  row: Readonly<Record<string, unknown>>,
  pathField: string,
): store.NewEntity[] {
  const { id, path, name } = row
  const fullPath = row[pathField]
  if (typeof fullPath !== 'string' || typeof path !== 'string' || typeof id !== 'number') return []
  // A project that is shared with the group is elsewhere.
  if (fullPath.toLowerCase() !== `${parent.source_full_path}/${path}`.toLowerCase()) return []
  return [
    {
      bulk_import_id: parent.bulk_import_id,
      parent_id: parent.id,
      source_type,
      source_full_path: fullPath,
      source_xid: id,
      destination_slug: path,
      destination_name: typeof name === 'string' && name !== '' ? name.slice(0, 255) : path,
      destination_namespace: destinationOf(parent),
      migrate_projects: parent.migrate_projects,
      migrate_memberships: parent.migrate_memberships,
    },
  ]
}

/** The work of each step. An interrupted step runs again. */
export type Steps = Readonly<Record<Exclude<Step, 'done'>, (run: EntityRun) => Promise<void>>>

const OF_GROUPS: Steps = { begin: beginGroup, ask, wait, take: importGroup, children }
const OF_PROJECTS: Steps = {
  begin: beginProject,
  ask,
  wait,
  take: importProject,
  children: () => Promise.resolve(),
}

export function stepsOf({ source_type }: EntityRow): Steps {
  return source_type === 'group_entity' ? OF_GROUPS : OF_PROJECTS
}

/** Creates the group here, with its attributes from the API of the other instance. */
async function beginGroup(run: EntityRun): Promise<void> {
  const { row, acting } = run
  if (row.namespace_id !== null && findGroup(acting, String(row.namespace_id))) return
  const record = await run.source.get(`${apiPathOf(row)}?with_projects=false`)
  const { id: source_xid, name } = record
  if (!isFreeFor(acting, row))
    throw fail(
      'unprocessable',
      `Destination '${row.destination_namespace}' is invalid, or you don't have permission.`,
    )
  const group =
    createdEarlier(run) ??
    (await make(run, record as Fields, typeof name === 'string' && name !== '' ? name : row.destination_name))
  run.write({
    namespace_id: group.id,
    ...(typeof source_xid === 'number' ? { source_xid } : {}),
  })
}

/** A group that was created right before a crash; its id was not stored. */
function createdEarlier(run: EntityRun): Group | undefined {
  const { making } = run.cursor
  const row = making === undefined ? undefined : findGroup(run.acting, destinationOf(run.row))
  return row && row.created_at >= making! ? row : undefined
}

async function make(run: EntityRun, record: Fields, name: string): Promise<Group> {
  const { row, now } = run
  const acting = { ...run.acting, now: now().now }
  run.go({ ...run.cursor, making: acting.now })
  const parent = row.destination_namespace === '' ? undefined : findGroup(acting, row.destination_namespace)
  const { shared_runners_setting: _runners, share_with_group_lock: _lock, ...columns } = groupColumns(record)
  const visibility = visibilityOf(run, record, parent)
  const input = { path: row.destination_slug, parent_id: parent?.id, columns: { ...columns, visibility } }
  try {
    return await createGroup(acting, { ...input, name })
  } catch (error) {
    // The path can be free even if the name is taken.
    const isName = error instanceof Failure && /:name=>/.test(String(error.detail))
    if (!isName || name === row.destination_slug) throw error
    return createGroup(acting, { ...input, name: row.destination_slug })
  }
}

function visibilityOf({ acting }: EntityRun, record: Fields, parent: Group | undefined): Visibility {
  const value = record['visibility']
  const visibility: Visibility = value === 'public' || value === 'internal' ? value : 'private'
  const narrow = parent ? narrowestOf(visibility, parent.visibility) : visibility
  const isRestricted =
    !acting.actor.is_admin && settingsOf(acting).restricted_visibility_levels.includes(narrow)
  return isRestricted ? 'private' : narrow
}

/** Creates the project here, empty and private until it is imported. */
async function beginProject(entity: EntityRun): Promise<void> {
  const { row, acting, run } = entity
  if (row.project_id !== null && projectById(acting.db, row.project_id)) return
  const { id: source_xid, name } = await entity.source.get(apiPathOf(row))
  const requested = typeof name === 'string' && name !== '' ? name.slice(0, 255) : row.destination_name
  entity.signal.throwIfAborted()
  tx(acting.db, () => {
    const ctx = { ...acting, now: entity.now().now }
    const target = targetOf(entity, requested)
    const identity = { name: target.name, path: target.path, namespace_id: target.namespace_id }
    const project = insertProject(ctx, { ...identity, columns: { visibility: 'private' } }, run.user_id)
    beginRun(ctx, project, {
      import_type: MIGRATION_SOURCE,
      import_source: row.source_full_path,
      provider_link: `${run.source_url}/${row.source_full_path}`,
      user_id: run.user_id,
    })
    const sourceId = typeof source_xid === 'number' ? { source_xid } : {}
    store.updateEntity(ctx.db, row.id, { project_id: project.id, ...sourceId }, ctx.now)
  })
  entity.reload()
}

/** The target. The path can be free even if the name is taken. */
function targetOf({ row, acting }: EntityRun, name: string): ImportTarget {
  const wanted = { namespace: row.destination_namespace, path: row.destination_slug }
  try {
    return targetFor(acting, { ...wanted, name })
  } catch (error) {
    const isName =
      error instanceof Failure && typeof error.detail === 'string' && error.detail.startsWith('Name ')
    if (!isName) throw error
    return targetFor(acting, wanted)
  }
}

/** True if the actor may create a group or project in a namespace; projects need one. */
export function isFreeFor(
  ctx: Ctx,
  {
    source_type,
    destination_namespace: path,
  }: Pick<EntityRow, 'destination_namespace'> & { source_type: string },
): boolean {
  // A numeric value is a path here, never an id.
  const namespace = path === '' ? undefined : findNamespace(ctx, path)
  if (path !== '' && namespace?.full_path.toLowerCase() !== path.toLowerCase()) return false
  if (source_type === 'project_entity') return namespace !== undefined && mayCreateIn(ctx, namespace)
  if (path === '') return mayCreateGroup(ctx, undefined)
  const parent = findGroup(ctx, path)
  return parent !== undefined && canRead(ctx, scope, parent) && mayCreateGroup(ctx, parent)
}
