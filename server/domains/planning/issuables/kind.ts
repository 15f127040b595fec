import type { Ctx } from '../../../ctx.ts'
import type { Exchange, Shape } from '../../../http/endpoint.ts'
import type { AnyEntity } from '../../../http/entity.ts'
import type { Paging } from '../../../http/returns.ts'
import type { Ability } from '../../../policy/ability.ts'
import type { Project } from '../../projects/index.ts'
import type { Issuable, IssuableName } from './issuable.ts'

/** A kind of issuable: all that the endpoints that issues and merge requests share need to know of it. */
export interface IssuableKind {
  readonly name: IssuableName
  /** Path below the project, as `/issues/:issue_iid`. */
  readonly path: string
  /** Its name in summaries. */
  readonly title: string
  /** Parameters of the path beside the project. */
  readonly params: Shape
  readonly read: Ability<Project>
  /** Who may subscribe: users who read it. */
  readonly subscribe: Ability<Project>
  /** Who may say how long it takes. */
  readonly plan: Ability<Project>
  /** Finds the record that the path names. Throws 404 when the actor may not see it. */
  load(ctx: Ctx, project: Project, params: Readonly<Record<string, unknown>>): Issuable
  /** How a single one is shown. */
  readonly entity: AnyEntity
  /** What the entity shows, as it is now. */
  show(ctx: Ctx, project: Project, id: number): unknown
}

/** What `run` of an endpoint that is made for a kind receives; the kind's own parameters are not known by name. */
export interface IssuableContext<Params> extends Ctx {
  readonly project: Project
  readonly params: Params & Readonly<Record<string, unknown>>
  readonly paging: Paging
  readonly http: Exchange
}
