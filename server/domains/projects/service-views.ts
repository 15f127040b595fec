import type { Ctx } from '../../ctx.ts'
import { canRead, hasAbility, type Scope } from '../../policy/ability.ts'
import { DEVELOPER, MAINTAINER } from '../../policy/levels.ts'
import { customAttributesOf, type CustomAttributeRow } from '../users/index.ts'
import { levelsOnProject, levelsOnProjects, type Levels } from '../members/index.ts'
import { registrationTokenOf } from '../namespaces/index.ts'
import { settingsOf } from '../settings/index.ts'
import type { DetectedLicense } from './repository/license.ts'
import { abilities } from './policy.ts'
import type { Project } from './types.ts'
import { project as scope } from './service-scope.ts'
import { sharesOf, type SharedGroupRow } from './people/store.ts'
import { byIds } from './store.ts'

/** A project with the data that its reader may see. */
export interface ProjectView {
  readonly project: Project
  /** The project's id, for the paging links of lists. */
  readonly id: number
  /** Whether the reader may read the code; the next fields likewise. */
  readonly readsCode: boolean
  readonly readsIssues: boolean
  readonly readsMergeRequests: boolean
  readonly createsMergeRequests: boolean
  readonly maintains: boolean
  /** The registration token for runners, for maintainers only. */
  readonly runnersToken: string | undefined
  readonly isAdmin: boolean
  readonly statistics: boolean
  /** Whether Auto DevOps is enabled, by the project, its groups or the instance. */
  readonly autoDevops: boolean
  /** The reader's access levels, if the entity shows them. */
  readonly permissions: Levels | undefined
  /** The groups that the project is shared with. */
  readonly shares: SharedGroupRow[]
  /** The source of a fork, if the reader may see it. */
  readonly parent: ProjectView | undefined
  /** On request: the license, or null if there is none. */
  readonly license: DetectedLicense | null | undefined
  /** The custom attributes, on request. */
  readonly attributes: CustomAttributeRow[] | undefined
}

/** Optional parts of a view. */
export interface ViewOptions {
  readonly statistics?: boolean | undefined
  readonly permissions?: boolean | undefined
  /** Custom attributes, for administrators only. */
  readonly with_custom_attributes?: boolean | undefined
  readonly license?: DetectedLicense | null | undefined
}

/** Returns a scope in which the actor's level is known, because lists load the levels of a whole page at once. */
function scopeAt(ctx: Ctx, level: number): Scope<'project', Project> {
  const scopes = ctx.db.instance(
    'projects.scopes_by_level',
    () => new Map<number, Scope<'project', Project>>(),
  )
  const cached = scopes.get(level)
  if (cached) return cached
  const levelScope = { ...scope, roleOf: () => level }
  scopes.set(level, levelScope)
  return levelScope
}

/** Related rows, loaded for the whole page at once. */
interface Batch {
  readonly shares: ReadonlyMap<number, readonly SharedGroupRow[]>
  readonly parents: ReadonlyMap<number, ProjectView>
  readonly attributes: ReadonlyMap<number, CustomAttributeRow[]> | undefined
}

const EMPTY_BATCH: Batch = { shares: new Map(), parents: new Map(), attributes: undefined }

function view(
  ctx: Ctx,
  project: Project,
  cache: { levels: Levels; batch: Batch },
  options: ViewOptions,
): ProjectView {
  const { levels, batch } = cache
  const level = Math.max(levels.direct, levels.inherited)
  const at = scopeAt(ctx, level)
  const can = (name: keyof typeof abilities): boolean => hasAbility(ctx, at, abilities[name], project)
  const readsCode = can('read_code')
  const readsMergeRequests = can('read_merge_requests')
  const maintains = ctx.actor.is_admin || level >= MAINTAINER
  return {
    project,
    id: project.id,
    readsCode,
    readsIssues: can('read_issues'),
    readsMergeRequests,
    createsMergeRequests: mayCreateMergeRequest(ctx, project, { level, readsMergeRequests }) && readsCode,
    maintains,
    runnersToken: maintains ? registrationTokenOf(ctx, project) : undefined,
    isAdmin: ctx.actor.is_admin,
    statistics: (options.statistics ?? false) && can('read_statistics'),
    autoDevops: autoDevops(ctx, project),
    permissions: options.permissions ? levels : undefined,
    shares: (batch.shares.get(project.id) ?? []) as SharedGroupRow[],
    parent: batch.parents.get(project.forked_from_project_id ?? 0),
    license: options.license,
    attributes: batch.attributes && (batch.attributes.get(project.id) ?? []),
  }
}

/**
 * Returns whether Auto DevOps is enabled for a project: by its own setting, or else that of its groups or the
 * instance.
 */
export function autoDevops(ctx: Pick<Ctx, 'db' | 'now'>, project: Project): boolean {
  const setting = project.auto_devops_enabled ?? project.namespace_auto_devops
  return setting === null ? settingsOf(ctx).auto_devops_enabled : setting
}

/** Returns true if the actor may create merge requests: developers from branches, other readers from a fork. */
function mayCreateMergeRequest(
  ctx: Ctx,
  project: Project,
  access: { level: number; readsMergeRequests: boolean },
): boolean {
  if (ctx.actor.kind === 'anonymous' || !access.readsMergeRequests || project.archived) return false
  return access.level >= DEVELOPER || project.forking_access_level !== 'disabled'
}

function batchOf(ctx: Ctx, projects: readonly Project[], options: ViewOptions): Batch {
  const ids = projects.map((project) => project.id)
  const withAttributes = options.with_custom_attributes && ctx.actor.is_admin
  return {
    shares: sharesOf(ctx, ids),
    parents: parentsOf(ctx, projects),
    attributes: withAttributes ? customAttributesOf(ctx.db, 'project', ids) : undefined,
  }
}

/** Returns the sources of forks by id, if the actor may see them. */
function parentsOf(ctx: Ctx, projects: readonly Project[]): ReadonlyMap<number, ProjectView> {
  const ids = projects.flatMap((project) => project.forked_from_project_id ?? [])
  if (ids.length === 0) return EMPTY_BATCH.parents
  const parents = byIds(ctx.db, [...new Set(ids)])
  const levels = levelsOnProjects(ctx, parents)
  const visible = parents.flatMap((parent, index) => {
    const level = Math.max(levels[index]!.direct, levels[index]!.inherited)
    if (!canRead(ctx, scopeAt(ctx, level), parent)) return []
    return [[parent.id, view(ctx, parent, { levels: levels[index]!, batch: EMPTY_BATCH }, {})] as const]
  })
  return new Map(visible)
}

/** Returns the view of a project for the actor. */
export function viewOf(ctx: Ctx, project: Project, options: ViewOptions = {}): ProjectView {
  const batch = batchOf(ctx, [project], options)
  return view(ctx, project, { levels: levelsOnProject(ctx, project), batch }, options)
}

/** Returns the views of projects for the actor, with a few queries for all of them. */
export function viewsOf(ctx: Ctx, projects: readonly Project[], options: ViewOptions = {}): ProjectView[] {
  if (projects.length === 0) return []
  const levels = levelsOnProjects(ctx, projects)
  const batch = batchOf(ctx, projects, options)
  return projects.map((project, index) => view(ctx, project, { levels: levels[index]!, batch }, options))
}
