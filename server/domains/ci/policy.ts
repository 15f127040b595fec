import type { Ctx } from '../../ctx.ts'
import { secondsOf } from '../../lib/text/durations.ts'
import { abilitiesOn, hasAbility } from '../../policy/ability.ts'
import type { Actor } from '../../policy/actor.ts'
import { DEVELOPER, GUEST, OWNER, MAINTAINER, REPORTER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'
import { project as scope, type Project, featureLevel, protectionsOf } from '../projects/index.ts'
import { admits, allows, protecting, pusherOf, tagProtectionsOf } from '../repository/index.ts'
import { settingsOf } from '../settings/index.ts'
import {
  type PipelineMergeRequest,
  type PipelineRequest,
  refused,
  type PipelineTarget,
} from './pipelines/creation/request.ts'

/** Environments require that CI is enabled in the project. */
const hasBuilds = (_actor: Actor, owner: Project): boolean => owner.builds_access_level !== 'disabled'

const signedIn = (actor: Actor): boolean => actor.kind !== 'anonymous'

const hasPublicJobs = (owner: Project): boolean => owner.public_jobs

/** Variables of a group apply to the pipelines of all its subgroups and projects. */
export const groupAbilities = abilitiesOn(group, {
  manage_group_variables: { from: OWNER },
  // Runners of a group run jobs of all its subgroups and projects.
  read_group_runners: { from: MAINTAINER, signedIn: true },
  manage_group_runners: { from: OWNER },
})

/** Abilities on pipelines and jobs; protected branches and tags require more (`mayRunOn`). */
export const abilities = abilitiesOn(scope, {
  read_pipelines: { from: GUEST, feature: 'builds', public: true, openWhen: hasPublicJobs },
  read_jobs: { from: GUEST, feature: 'builds', public: true, openWhen: hasPublicJobs },
  create_pipeline: { from: DEVELOPER, feature: 'builds' },
  change_jobs: { from: DEVELOPER, feature: 'builds' },
  destroy_pipeline: { from: OWNER, feature: 'builds' },
  // Artifacts of jobs. A job can restrict its artifacts to a higher role than its log.
  read_private_artifacts: { from: DEVELOPER, feature: 'builds' },
  read_maintainer_artifacts: { from: MAINTAINER, feature: 'builds' },
  keep_artifacts: { from: DEVELOPER, feature: 'builds' },
  destroy_artifacts: { from: MAINTAINER, feature: 'builds' },
  // Users who may start jobs may also see and change the order of the jobs that wait for a resource (spec ci 2.11).
  read_resource_groups: { from: DEVELOPER, feature: 'builds' },
  change_resource_group: { from: DEVELOPER, feature: 'builds' },
  // Secure files of a project (spec ci 6).
  read_secure_files: { from: DEVELOPER, signedIn: true },
  manage_secure_files: { from: MAINTAINER, archived: true },
  // Commit statuses of other systems.
  read_commit_status: { from: REPORTER, feature: 'repository', public: true },
  create_commit_status: { from: DEVELOPER, feature: 'repository' },
  // Triggers of a project (spec ci 2.8). Only the owner of a trigger sees its whole token.
  manage_triggers: { from: MAINTAINER, feature: 'builds' },
  // Variables contain secrets, so reading them requires the same role as changing them (spec ci 2.9). Nobody may do it
  // while CI is disabled in the project.
  manage_variables: { from: MAINTAINER, feature: 'builds', archived: true },
  // Runners of a project (spec ci 3.1).
  manage_project_runners: { from: MAINTAINER, archived: true, signedIn: true },
  // Users who see pipelines see their schedules. A schedule runs as its owner, so only the owner and
  // maintainers may change it (`mayChange` in `service.ts`).
  read_schedules: { from: GUEST, feature: 'builds', public: true, openWhen: hasPublicJobs, when: signedIn },
  create_schedule: { from: DEVELOPER, feature: 'builds' },
  change_schedule: { from: DEVELOPER, feature: 'builds' },
  take_schedule: { from: MAINTAINER, feature: 'builds' },
  // Environments and deployments of a project (spec ci 5).
  read_environment: { from: REPORTER, feature: 'environments', when: hasBuilds, signedIn: true },
  create_environment: { from: DEVELOPER, feature: 'environments', when: hasBuilds, signedIn: true },
  update_environment: { from: DEVELOPER, feature: 'environments', when: hasBuilds, signedIn: true },
  stop_environment: { from: DEVELOPER, feature: 'environments', when: hasBuilds, signedIn: true },
  destroy_environment: { from: DEVELOPER, feature: 'environments', when: hasBuilds, signedIn: true },
  read_deployment: { from: REPORTER, feature: 'environments', when: hasBuilds, signedIn: true },
  create_deployment: { from: DEVELOPER, feature: 'environments', when: hasBuilds, signedIn: true },
  update_deployment: { from: DEVELOPER, feature: 'environments', when: hasBuilds, signedIn: true },
  destroy_deployment: { from: MAINTAINER, feature: 'environments', when: hasBuilds, signedIn: true },
})

/**
 * The sources of pipelines for which the actor passes variables. Variables of schedules were checked when they were saved,
 * those of trigger jobs come from a configuration, and triggers add one by themselves.
 */
const BY_ACTOR: ReadonlySet<string> = new Set(['push', 'api', 'web'])

/** Refuses projects without pipelines, and actors who may not create any (spec ci 2.6). */
export function checkProject(ctx: Ctx, project: Project, request: PipelineRequest): void {
  if (featureLevel(project, 'builds') === 'disabled') throw refused('Pipelines are disabled!')
  if (!hasAbility(ctx, scope, abilities.create_pipeline, project, true)) {
    throw refused('Insufficient permissions to create a new pipeline', 'rights')
  }
  const setsVariables = (request.variables?.length ?? 0) > 0 && BY_ACTOR.has(request.source)
  if (setsVariables && !maySetVariables(ctx, project)) {
    throw refused('Insufficient permissions to set pipeline variables')
  }
}

/** Whether the actor may set variables of a project's pipelines. */
export function maySetVariables(ctx: Ctx, project: Project): boolean {
  if (!project.restrict_user_defined_variables || ctx.actor.is_admin) return true
  return scope.roleOf(ctx, project) >= MAINTAINER
}

/** Refuses a protected branch or tag on which the actor may not run pipelines (`mayRunOn`). */
export function checkTarget(
  ctx: Ctx,
  project: Project,
  target: Pick<PipelineTarget, 'ref' | 'kind'>,
  request?: PipelineMergeRequest,
): void {
  if (mayRunOn(ctx, project, protectedTarget(project, target, request))) return
  throw refused(
    `You do not have sufficient permission to run a pipeline on '${target.ref}'. ` +
      'Please select a different branch or contact your administrator for assistance.',
    'rights',
  )
}

/** The ref that determines the protection. For a merge request within the project it is the source branch. */
function protectedTarget(
  project: Project,
  target: Pick<PipelineTarget, 'ref' | 'kind'>,
  request: PipelineMergeRequest | undefined,
): Pick<PipelineTarget, 'ref' | 'kind'> {
  if (target.kind !== 'merge_request' || request?.source_project_id !== project.id) return target
  const name = request.predefined.find(({ key }) => key === 'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME')?.value
  return name === undefined ? target : { ref: name, kind: 'branch' }
}

/**
 * Whether the protections of a ref allow the actor to run jobs on it. A protected branch requires the right to push or
 * merge, a protected tag the right to create it.
 */
export function mayRunOn(
  ctx: Ctx,
  project: Project,
  { ref, kind }: Pick<PipelineTarget, 'ref' | 'kind'>,
): boolean {
  if (kind === 'merge_request' || ctx.actor.kind === 'system') return true
  const pusher = pusherOf(ctx, project)
  if (kind === 'tag') {
    const protections = protecting(tagProtectionsOf(ctx.db, project.id), ref)
    return (
      protections.length === 0 ||
      protections.some(({ levels }) => levels.some((level) => admits(level, pusher)))
    )
  }
  const protections = protecting(protectionsOf(ctx.db, project.id), ref)
  return allows(protections, 'push', pusher) || allows(protections, 'merge', pusher)
}

/**
 * Whether an actor who may change jobs of the project may change this job, by the protections of its ref (`mayRunOn`).
 */
export function mayChange(
  ctx: Ctx,
  project: Project,
  job: { readonly ref: string; readonly tag: boolean },
): boolean {
  const isMergeRequest = job.ref.startsWith('refs/merge-requests/')
  const kind = isMergeRequest ? 'merge_request' : job.tag ? 'tag' : 'branch'
  return mayRunOn(ctx, project, { ref: job.ref, kind })
}

/**
 * Whether a job is so old that it can only be read, by the setting `archive_builds_in_human_readable` (spec
 * administration 1.3). False for all jobs while the setting is empty.
 */
export function isArchived(ctx: Pick<Ctx, 'db' | 'now'>, job: { readonly created_at: string }): boolean {
  const text = settingsOf(ctx).archive_builds_in_human_readable
  const seconds = text ? secondsOf(text) : null
  return seconds !== null && Date.parse(job.created_at) < Date.parse(ctx.now) - seconds * 1000
}
