import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import { copyDurably } from '../../../lib/files/durable-file.ts'
import { fail, Failure, notFound } from '../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../policy/ability.ts'
import type { Visibility } from '../../../policy/levels.ts'
import { namespaceById, namespaceOfUser, type NamespaceRow } from '../../namespaces/index.ts'
import {
  abilities,
  insertProject,
  mayCreateIn,
  findTargetNamespace,
  allowedVisibility,
  prepareRepository,
  project as scope,
  projectById,
  renderDescription,
  updateProjectRow,
  type Project,
  forkNetworkOf,
  setForkParent,
  repoOf,
} from '../../projects/index.ts'
import { avatarFile, copyLfsLinks } from '../../storage/index.ts'
import { ForkLinked, ForkUnlinked, ProjectForked } from '../events.ts'
import { narrowestOf } from '../relations/groups.ts'
import * as store from './store.ts'
import { cloneIntoProject } from '../imports/clone.ts'

/** The parameters of a new fork. Without a namespace, the fork is created in the personal namespace. */
export interface ForkRequest {
  /** ID or full path of the namespace (deprecated). */
  readonly namespace?: string | undefined
  readonly namespace_id?: number | undefined
  readonly namespace_path?: string | undefined
  readonly path?: string | undefined
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly visibility?: Visibility | undefined
  readonly mr_default_target_self?: boolean | undefined
}

/** Whether the actor may fork the project: they may read its code and the feature is enabled for them. */
export function mayFork(ctx: Ctx, project: Project): boolean {
  return (
    hasAbility(ctx, scope, abilities.read_code, project) &&
    hasAbility(ctx, scope, { ...abilities.fork_project, feature: 'forking' }, project)
  )
}

/**
 * Creates a fork and copies the repository in the background. Throws 404 if the actor may not fork the
 * project or create projects in the namespace, and 409 for a name or path in use.
 */
export async function forkProject(ctx: Ctx, source: Project, request: ForkRequest): Promise<Project> {
  if (!mayFork(ctx, source)) throw notFound()
  const { description } = request
  const description_html =
    description === undefined ? source.description_html : await renderDescription(description)
  const fork = tx(ctx.db, () => insertFork(ctx, source, { ...request, description_html }))
  // If this fails, the job tries again and reports the error.
  await prepareRepository(ctx, fork).catch(() => fork)
  return copyAvatar(ctx, source, fork)
}

function insertFork(
  ctx: Ctx,
  source: Project,
  request: ForkRequest & { description_html: string | null },
): Project {
  const target = targetOf(ctx, source, request)
  const visibility = narrowestOf((request.visibility ?? source.visibility) as Visibility, source.visibility)
  const created = asConflict(() =>
    insertProject(
      ctx,
      {
        name: request.name ?? source.name,
        path: request.path ?? source.path,
        namespace_id: target.id,
        default_branch: source.default_branch,
        columns: {
          ...inheritedColumns(source),
          description: request.description ?? source.description,
          description_html: request.description_html,
          visibility: allowedVisibility(ctx, target, visibility),
          mr_default_target_self: request.mr_default_target_self ?? false,
          import_status: 'scheduled',
        },
      },
      ctx.actor.id,
    ),
  )
  const fork = updateProjectRow(ctx.db, created.id, {
    forked_from_project_id: source.id,
    fork_network_id: forkNetworkOf(ctx.db, source),
  })
  enqueue(ctx, copyFork, { project_id: fork.id, source_id: source.id }, { key: `forks:${fork.id % 2}` })
  publish(ctx, ProjectForked, eventOf(ctx, fork.id, source.id))
  return fork
}

/** The settings that a fork inherits. */
function inheritedColumns(source: Project) {
  const { topics, lfs_enabled, ci_config_path, ci_default_git_depth, ci_separated_caches } = source
  const { build_timeout, build_git_strategy, public_jobs, request_access_enabled } = source
  const { repository_access_level, merge_requests_access_level, builds_access_level } = source
  return {
    topics,
    lfs_enabled,
    ci_config_path,
    ci_default_git_depth,
    ci_separated_caches,
    build_timeout,
    build_git_strategy,
    public_jobs,
    request_access_enabled,
    repository_access_level,
    merge_requests_access_level,
    builds_access_level,
  }
}

function targetOf(ctx: Ctx, source: Project, request: ForkRequest): NamespaceRow {
  const reference = request.namespace_path ?? request.namespace_id ?? request.namespace
  const namespace = ctx.actor.id === null ? undefined : namespaceOfUser(ctx.db, ctx.actor.id)
  const target = reference === undefined ? namespace : findTargetNamespace(ctx, String(reference))
  if (!target || !mayCreateIn(ctx, target) || !isAllowedTarget(ctx, source, target))
    throw notFound('Target Namespace')
  return target
}

/** Whether a fork may be created in the target namespace. A top-level group may prevent forks outside its hierarchy. */
function isAllowedTarget(ctx: Ctx, source: Project, target: NamespaceRow): boolean {
  const [top] = JSON.parse(source.lineage) as number[]
  const isRestricted = namespaceById(ctx.db, top!)?.prevent_forking_outside_group === true
  return !isRestricted || (JSON.parse(target.lineage) as number[])[0] === top
}

/** Turns errors with 400 into 409, as the contract requires for forks (spec core 1.3). */
function asConflict<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure && error.kind === 'bad_request') throw fail('conflict', error.detail)
    throw error
  }
}

function eventOf(ctx: Ctx, forkId: number, parentId: number) {
  return { project_id: forkId, forked_from_project_id: parentId, actor_id: ctx.actor.id }
}

/**
 * Makes an existing project a fork of another. Throws `404 Source Project Not Found`, and 409 if the project is
 * already a fork or the source was forked from it.
 */
export function linkFork(ctx: Ctx, project: Project, sourceId: number): Project {
  return tx(ctx.db, () => {
    const source = projectById(ctx.db, sourceId)
    if (!source || !canRead(ctx, scope, source) || !mayFork(ctx, source)) throw notFound('Source Project')
    const isFork = project.forked_from_project_id !== null
    if (isFork || store.isAncestor(ctx.db, project.id, source.id))
      throw fail('conflict', 'Project already forked')
    setForkParent(ctx.db, project.id, { parent: source.id, network: forkNetworkOf(ctx.db, source) })
    publish(ctx, ForkLinked, eventOf(ctx, project.id, source.id))
    return projectById(ctx.db, project.id)!
  })
}

/** Removes the fork relationship of a project, which keeps its own forks. Throws 304 if it is not a fork. */
export function unlinkFork(ctx: Ctx, project: Project): void {
  const parent = project.forked_from_project_id
  if (parent === null) throw fail('not_modified')
  tx(ctx.db, () => {
    const network = store.hasForks(ctx.db, project.id) ? project.id : null
    setForkParent(ctx.db, project.id, { parent: null, network })
    publish(ctx, ForkUnlinked, eventOf(ctx, project.id, parent))
  })
}

/** Copies the avatar of the project to its fork. If that fails, the fork has no avatar. */
async function copyAvatar(ctx: Ctx, source: Project, fork: Project): Promise<Project> {
  const { avatar } = source
  if (avatar === null) return fork
  const target = avatarFile(ctx.config, 'project', fork.id, avatar)
  try {
    await copyDurably(avatarFile(ctx.config, 'project', source.id, avatar), target)
  } catch (error) {
    ctx.log.warn({ err: error, project_id: fork.id }, 'the avatar of a project could not be copied')
    return fork
  }
  return updateProjectRow(ctx.db, fork.id, { avatar })
}

/** Copies the repository of a project into its new fork. */
const copyFork = job(
  'forks.copy_repository',
  { args: { project_id: z.number(), source_id: z.number() } },
  (ctx, args) => copyRepository(ctx, args.project_id, args.source_id),
)

export const jobs: Job[] = [copyFork]

/** Copies the branches and tags of a project with their commits into its fork, and the links to LFS objects. */
export async function copyRepository(ctx: Ctx, projectId: number, sourceId: number): Promise<void> {
  await cloneIntoProject(ctx, projectId, async () => {
    const source = projectById(ctx.db, sourceId)
    if (!source) throw new Error('fatal: The source project no longer exists.')
    const repo = repoOf(ctx, source)
    // A getter, because a storage move may change the path before the copy starts.
    const location = {
      get path() {
        return repo.gitDir
      },
    }
    return { source: location, head: source.default_branch }
  })
  if (projectById(ctx.db, projectId)) await copyLfsLinks(ctx, sourceId, projectId)
}
