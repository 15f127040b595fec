import type { Ctx } from '../../../ctx.ts'
import type { Repo } from '../../../git/types.ts'
import { Failure } from '../../../lib/fail.ts'
import { maintenanceOf } from '../../auth/index.ts'
import { project as scope, projectById, repoOf, type Project } from '../../projects/index.ts'
import { refusalOf } from '../checks/run-checks.ts'
import { countDownload } from '../service.ts'
import { announce, settle } from '../service-refs.ts'
import { openProject, Refusal } from './access.ts'
import type { GitTarget, GitRequest, OpenGitTarget, PushHandler } from '../../../git-target.ts'

/**
 * Opens the repository at a path: one of another domain (`openers`), or the code of a project. Throws Refusal if the
 * actor lacks the permission.
 */
export async function openTarget(
  ctx: Ctx,
  openers: readonly OpenGitTarget[],
  request: GitRequest,
): Promise<GitTarget> {
  const { target, project } = await admit(ctx, openers, request)
  if (target) return target
  if (request.purpose === 'read') withRefusals(() => countDownload(ctx, project.id))
  const repo = repoOf(ctx, project)
  return { ctx, repo, pushHandler: pushRulesOf(ctx, project, repo) }
}

/** The repository at a path: the target of another domain, or a project. */
export type Admitted =
  | { readonly target: GitTarget; readonly project?: undefined }
  | { readonly target?: undefined; readonly project: Project }

/** Finds the repository at a path, with the same checks as for git. Throws Refusal if the actor has no access. */
export async function admit(
  ctx: Ctx,
  openers: readonly OpenGitTarget[],
  request: GitRequest,
): Promise<Admitted> {
  if (request.purpose === 'write') checkOpenForWrites(ctx)
  for (const open of openers) {
    const target = await open(ctx, request)
    if (target) return { target }
  }
  const project = openProject(ctx, request)
  await checkExternally(ctx, project)
  return { project }
}

/** Throws Refusal while maintenance mode forbids pushes of the actor. */
function checkOpenForWrites(ctx: Ctx): void {
  const message = ctx.actor.is_admin ? null : maintenanceOf(ctx)
  if (message !== null) throw new Refusal(503, message)
}

/** Throws Refusal if the external authorization service denies the actor access. */
async function checkExternally(ctx: Ctx, project: Project): Promise<void> {
  await scope.admits?.(ctx, project)?.catch((error: unknown) =>
    withRefusals(() => {
      throw error
    }),
  )
}

/** Runs `work` and converts a Failure to a Refusal. */
function withRefusals(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) throw new Refusal(403, error.message.replace(/^\d+ \w+ - /, ''))
    throw error
  }
}

/** Returns the checks and the record of pushes to a project: the same as for the API and for merges. */
export function pushRulesOf(ctx: Ctx, { id }: Project, repo: Repo): PushHandler {
  const passed = new Set<string>()
  return {
    async refusal(changes, { quarantineEnv: env, signal }) {
      const project = projectById(ctx.db, id)
      if (!project) return 'The project was deleted.'
      return refusalOf({ ctx, project, repo, source: 'push', changes, env, signal, passed })
    },
    announce(changes, push_options) {
      const announced = announce(ctx, { id }, { source: 'push', changes, push_options })
      return (applied) => settle(ctx, announced, applied)
    },
  }
}
