import type { Ctx } from '../../ctx.ts'
import type { Actor } from '../../policy/actor.ts'
import type { Scope } from '../../policy/ability.ts'
import { roleOnProject } from '../members/index.ts'
import { movedProject } from '../namespaces/index.ts'
import { featureLevel, type Feature, type Project } from './project.ts'
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

/** The project that a path names; everything below `/projects/:id` is declared on it. */
export const project: Scope<'project', Project> = {
  name: 'project',
  plural: 'projects',
  param: 'id',
  title: 'Project',
  load: findProject,
  moved: (ctx, reference) => {
    const id = movedProject(ctx.db, reference)
    return id === undefined ? undefined : store.byId(ctx.db, id)
  },
  roleOf: roleOnProject,
  openTo: isOpenTo,
  feature: (owner, feature) => featureLevel(owner, feature as Feature),
  archived: (owner) => owner.archived === 1,
}
