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
import { requestExports, waitForExports } from './waiting.ts'
import type { Ctx } from '../../../ctx.ts'
import { findNamespace } from '../../namespaces/index.ts'
import { canRead } from '../../../policy/ability.ts'

const LISTS = [
  { source_type: 'group_entity', list: 'subgroups', path: 'full_path' },
  { source_type: 'project_entity', list: 'projects', path: 'path_with_namespace' },
] as const

/** Stores the subgroups and projects directly below a group, to be migrated next. */
async function storeChildren(run: EntityRun): Promise<void> {
  for (const { source_type, list, path } of LISTS) {
    if (source_type === 'project_entity' && !run.row.migrate_projects) continue
    const query = source_type === 'project_entity' ? '?with_shared=false&simple=true' : ''
    for await (const rows of run.source.pages(`${apiPathOf(run.row)}/${list}${query}`)) {
      const entities = rows.flatMap((row) => childOf(run.row, source_type, row, path))
      const { now } = run.now()
      run.signal.throwIfAborted()
      tx(run.userCtx.db, () => {
        for (const entity of entities) store.insertEntity(run.userCtx.db, entity, now)
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
  // A project that is only shared with the group belongs to another group.
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

/** The function of each step. An interrupted step runs again. */
export type Steps = Readonly<Record<Exclude<Step, 'done'>, (run: EntityRun) => Promise<void>>>

const GROUP_STEPS: Steps = {
  begin: createTargetGroup,
  ask: requestExports,
  wait: waitForExports,
  take: importGroup,
  children: storeChildren,
}
const PROJECT_STEPS: Steps = {
  begin: createTargetProject,
  ask: requestExports,
  wait: waitForExports,
  take: importProject,
  children: () => Promise.resolve(),
}

export function stepsOf({ source_type }: EntityRow): Steps {
  return source_type === 'group_entity' ? GROUP_STEPS : PROJECT_STEPS
}

/** Creates the group on this instance, with the attributes from the API of the other instance. */
async function createTargetGroup(run: EntityRun): Promise<void> {
  const { row, userCtx } = run
  if (row.namespace_id !== null && findGroup(userCtx, String(row.namespace_id))) return
  const record = await run.source.get(`${apiPathOf(row)}?with_projects=false`)
  const { id: source_xid, name } = record
  if (!mayCreateAt(userCtx, row))
    throw fail(
      'unprocessable',
      `Destination '${row.destination_namespace}' is invalid, or you don't have permission.`,
    )
  const group =
    groupOfInterruptedRun(run) ??
    (await createGroupFrom(
      run,
      record as Fields,
      typeof name === 'string' && name !== '' ? name : row.destination_name,
    ))
  run.update({
    namespace_id: group.id,
    ...(typeof source_xid === 'number' ? { source_xid } : {}),
  })
}

/** The group that an interrupted run created without storing its ID; undefined if there is none. */
function groupOfInterruptedRun(run: EntityRun): Group | undefined {
  const { making } = run.cursor
  const row = making === undefined ? undefined : findGroup(run.userCtx, destinationOf(run.row))
  return row && row.created_at >= making! ? row : undefined
}

async function createGroupFrom(run: EntityRun, record: Fields, name: string): Promise<Group> {
  const { row, now } = run
  const userCtx = { ...run.userCtx, now: now().now }
  run.saveCursor({ ...run.cursor, making: userCtx.now })
  const parent = row.destination_namespace === '' ? undefined : findGroup(userCtx, row.destination_namespace)
  const { shared_runners_setting: _runners, share_with_group_lock: _lock, ...columns } = groupColumns(record)
  const visibility = visibilityOf(run, record, parent)
  const input = { path: row.destination_slug, parent_id: parent?.id, columns: { ...columns, visibility } }
  try {
    return await createGroup(userCtx, { ...input, name })
  } catch (error) {
    // The name may be in use although the path is not.
    const isNameInUse = error instanceof Failure && /:name=>/.test(String(error.detail))
    if (!isNameInUse || name === row.destination_slug) throw error
    return createGroup(userCtx, { ...input, name: row.destination_slug })
  }
}

function visibilityOf({ userCtx }: EntityRun, record: Fields, parent: Group | undefined): Visibility {
  const value = record['visibility']
  const visibility: Visibility = value === 'public' || value === 'internal' ? value : 'private'
  const visibilityInParent = parent ? narrowestOf(visibility, parent.visibility) : visibility
  const isRestricted =
    !userCtx.actor.is_admin && settingsOf(userCtx).restricted_visibility_levels.includes(visibilityInParent)
  return isRestricted ? 'private' : visibilityInParent
}

/** Creates the project on this instance, empty and private until it is imported. */
async function createTargetProject(entity: EntityRun): Promise<void> {
  const { row, userCtx, run } = entity
  if (row.project_id !== null && projectById(userCtx.db, row.project_id)) return
  const { id: source_xid, name } = await entity.source.get(apiPathOf(row))
  const requested = typeof name === 'string' && name !== '' ? name.slice(0, 255) : row.destination_name
  entity.signal.throwIfAborted()
  tx(userCtx.db, () => {
    const ctx = { ...userCtx, now: entity.now().now }
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

/** The target of a project. If only the name is in use, the path becomes the name. */
function targetOf({ row, userCtx }: EntityRun, name: string): ImportTarget {
  const target = { namespace: row.destination_namespace, path: row.destination_slug }
  try {
    return targetFor(userCtx, { ...target, name })
  } catch (error) {
    const isNameInUse =
      error instanceof Failure && typeof error.detail === 'string' && error.detail.startsWith('Name ')
    if (!isNameInUse) throw error
    return targetFor(userCtx, target)
  }
}

/** Whether the actor may create the group or project in its destination. A project needs a namespace. */
export function mayCreateAt(
  ctx: Ctx,
  {
    source_type,
    destination_namespace: path,
  }: Pick<EntityRow, 'destination_namespace'> & { source_type: string },
): boolean {
  // A number is always a path here, never an ID.
  const namespace = path === '' ? undefined : findNamespace(ctx, path)
  if (path !== '' && namespace?.full_path.toLowerCase() !== path.toLowerCase()) return false
  if (source_type === 'project_entity') return namespace !== undefined && mayCreateIn(ctx, namespace)
  if (path === '') return mayCreateGroup(ctx, undefined)
  const parent = findGroup(ctx, path)
  return parent !== undefined && canRead(ctx, scope, parent) && mayCreateGroup(ctx, parent)
}
