import type { Ctx } from '../../ctx.ts'
import { isAble, type Scope } from '../../policy/ability.ts'
import { DEVELOPER, MAINTAINER } from '../../policy/levels.ts'
import { levelsOnProject, levelsOnProjects, type Levels } from '../members/index.ts'
import type { UserBasicRow } from '../users/index.ts'
import { abilities } from './policy.ts'
import type { Project } from './project.ts'
import { project as scope } from './scope.ts'

/** A project together with what its reader may see of it. */
export interface ProjectView {
  readonly project: Project
  /** For the links of lists. */
  readonly id: number
  readonly readsCode: boolean
  readonly readsIssues: boolean
  readonly readsMergeRequests: boolean
  readonly createsMergeRequests: boolean
  readonly maintains: boolean
  readonly isAdmin: boolean
  readonly statistics: boolean
  /** The reader's levels, where the answer shows them. */
  readonly permissions: Levels | undefined
}

/** Somebody who starred a project. */
export interface StarRow extends UserBasicRow {
  readonly starred_since: string
}

/** What a view shows beside the ordinary. */
export interface ViewOptions {
  readonly statistics?: boolean | undefined
  readonly permissions?: boolean | undefined
}

/** The scope with the level already known: the decision stays in one place, and lists ask the database once. */
const scopesByLevel = new Map<number, Scope<'project', Project>>()

function scopeAt(level: number): Scope<'project', Project> {
  const known = scopesByLevel.get(level)
  if (known) return known
  const made = { ...scope, roleOf: () => level }
  scopesByLevel.set(level, made)
  return made
}

function view(ctx: Ctx, project: Project, levels: Levels, options: ViewOptions): ProjectView {
  const level = Math.max(levels.direct, levels.inherited)
  const at = scopeAt(level)
  const can = (name: keyof typeof abilities): boolean => isAble(ctx, at, abilities[name], project)
  const readsCode = can('read_code')
  const readsMergeRequests = can('read_merge_requests')
  return {
    project,
    id: project.id,
    readsCode,
    readsIssues: can('read_issues'),
    readsMergeRequests,
    createsMergeRequests: mayPropose(ctx, project, { level, readsMergeRequests }) && readsCode,
    maintains: ctx.actor.is_admin || level >= MAINTAINER,
    isAdmin: ctx.actor.is_admin,
    statistics: (options.statistics ?? false) && can('read_statistics'),
    permissions: options.permissions ? levels : undefined,
  }
}

/** Developers propose from branches, everybody else who sees requests from a fork. */
function mayPropose(
  ctx: Ctx,
  project: Project,
  known: { level: number; readsMergeRequests: boolean },
): boolean {
  if (ctx.actor.kind === 'anonymous' || !known.readsMergeRequests || project.archived) return false
  return known.level >= DEVELOPER || project.forking_access_level !== 'disabled'
}

/** One project as the actor sees it. */
export function viewOf(ctx: Ctx, project: Project, options: ViewOptions = {}): ProjectView {
  return view(ctx, project, levelsOnProject(ctx, project), options)
}

/** Many projects as the actor sees them, with two queries for all. */
export function viewsOf(ctx: Ctx, projects: readonly Project[], options: ViewOptions = {}): ProjectView[] {
  if (projects.length === 0) return []
  const levels = levelsOnProjects(ctx, projects)
  return projects.map((project, index) => view(ctx, project, levels[index]!, options))
}
