import type { Ctx } from '../../ctx.ts'
import type { Actor } from '../../policy/actor.ts'
import type { Scope } from '../../policy/ability.ts'
import { roleOnProject } from '../members/index.ts'
import { movedProject } from '../namespaces/index.ts'
import { featureLevel, type Feature, type Project } from './project.ts'
import { checkExternally, isExternallyDecided } from './external-authorization.ts'
import * as store from './store.ts'

/** By numeric id or full path; digits only are always an id. */
export function findProject(ctx: Pick<Ctx, 'db'>, reference: string): Project | undefined {
  if (!/^\d+$/.test(reference)) return store.byPath(ctx.db, reference)
  const id = Number(reference)
  return Number.isSafeInteger(id) ? store.byId(ctx.db, id) : undefined
}

/** True when the project's visibility alone lets the actor see it. */
export function isOpenTo(actor: Actor, project: Pick<Project, 'visibility'>): boolean {
  if (project.visibility === 'public') return true
  return project.visibility === 'internal' && actor.kind === 'user' && !actor.external
}

/** A job that is confined finds its own project and public ones only (spec ci 0.2). */
function isReached({ actor }: Ctx, found: Project): boolean {
  const job = actor.kind === 'user' ? actor.job : undefined
  return !job?.isConfined || found.id === job.project_id || found.visibility === 'public'
}

/**
 * True for a new project while an import fills it: what is written meanwhile would have the numbers and names of what is on its
 * way. Reads, cancelling and deleting go on.
 */
function isBeingFilled({ repository_state, import_status }: Project): boolean {
  return repository_state === 'pending' && (import_status === 'scheduled' || import_status === 'started')
}

/** The project that a path names; everything below `/projects/:id` is declared on it. */
export const project: Scope<'project', Project> = {
  name: 'project',
  plural: 'projects',
  param: 'id',
  title: 'Project',
  load: (ctx, reference) => {
    const found = findProject(ctx, reference)
    return found && isReached(ctx, found) ? found : undefined
  },
  moved: (ctx, reference) => {
    const id = movedProject(ctx.db, reference)
    return id === undefined ? undefined : store.byId(ctx.db, id)
  },
  roleOf: roleOnProject,
  openTo: isOpenTo,
  feature: (owner, feature) => featureLevel(owner, feature as Feature),
  archived: (owner) => owner.archived || isBeingFilled(owner),
  asksOthers: isExternallyDecided,
  admits: checkExternally,
}
