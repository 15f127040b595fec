import type { Ctx } from '../../../../ctx.ts'
import { isAble } from '../../../../policy/ability.ts'
import { MAINTAINER } from '../../../../policy/levels.ts'
import { featureLevel, project as scope, type Project } from '../../../projects/index.ts'
import {
  admits,
  allows,
  protecting,
  protectionsOf,
  pusherOf,
  tagProtectionsOf,
} from '../../../repository/index.ts'
import { abilities } from '../../policy.ts'
import { type MergeRequestOfPipeline, type PipelineRequest, refused } from './request.ts'
import type { PipelineTarget } from './target.ts'

/**
 * Sources with variables that the actor gives. Variables of schedules were checked when they were saved, those of trigger
 * jobs come from a configuration, and triggers add one by themselves.
 */
const BY_ACTOR: ReadonlySet<string> = new Set(['push', 'api', 'web'])

/** Refuses projects without pipelines, and actors who may not create any (spec ci 2.6). */
export function checkProject(ctx: Ctx, project: Project, request: PipelineRequest): void {
  if (featureLevel(project, 'builds') === 'disabled') throw refused('Pipelines are disabled!')
  if (!isAble(ctx, scope, abilities.create_pipeline, project, true)) {
    throw refused('Insufficient permissions to create a new pipeline', 'rights')
  }
  const isGiven = (request.variables?.length ?? 0) > 0 && BY_ACTOR.has(request.source)
  if (isGiven && !maySetVariables(ctx, project)) {
    throw refused('Insufficient permissions to set pipeline variables')
  }
}

/** Whether the actor may give pipelines of a project variables. */
export function maySetVariables(ctx: Ctx, project: Project): boolean {
  if (!project.restrict_user_defined_variables || ctx.actor.is_admin) return true
  return scope.roleOf(ctx, project) >= MAINTAINER
}

/** Refuses a protected branch or tag if the actor may neither push nor merge there. */
export function checkTarget(
  ctx: Ctx,
  project: Project,
  target: Pick<PipelineTarget, 'ref' | 'kind'>,
  request?: MergeRequestOfPipeline,
): void {
  if (mayRunOn(ctx, project, underlying(project, target, request))) return
  throw refused(
    `You do not have sufficient permission to run a pipeline on '${target.ref}'. ` +
      'Please select a different branch or contact your administrator for assistance.',
    'rights',
  )
}

/** A merge request within the project is as protected as its source branch. */
function underlying(
  project: Project,
  target: Pick<PipelineTarget, 'ref' | 'kind'>,
  request: MergeRequestOfPipeline | undefined,
): Pick<PipelineTarget, 'ref' | 'kind'> {
  if (target.kind !== 'merge_request' || request?.source_project_id !== project.id) return target
  const name = request.predefined.find(({ key }) => key === 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')?.value
  return name === undefined ? target : { ref: name, kind: 'branch' }
}

/** Whether protections let the actor run jobs on a branch (who may push or merge there) or tag (who may create it). */
export function mayRunOn(
  ctx: Ctx,
  project: Project,
  { ref, kind }: Pick<PipelineTarget, 'ref' | 'kind'>,
): boolean {
  if (kind === 'merge_request' || ctx.actor.kind === 'system') return true
  const pusher = pusherOf(ctx, project)
  if (kind === 'tag') {
    const holding = protecting(tagProtectionsOf(ctx.db, project.id), ref)
    return holding.length === 0 || holding.some(({ levels }) => levels.some((level) => admits(level, pusher)))
  }
  const holding = protecting(protectionsOf(ctx.db, project.id), ref)
  return allows(holding, 'push', pusher) || allows(holding, 'merge', pusher)
}
