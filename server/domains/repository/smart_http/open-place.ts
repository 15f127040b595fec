import type { Ctx } from '../../../ctx.ts'
import type { Repo } from '../../../git/types.ts'
import { Failure } from '../../../lib/fail.ts'
import { maintenanceOf } from '../../auth/index.ts'
import { project as scope, projectById, repoOf, type Project } from '../../projects/index.ts'
import { refusalOf } from '../checks/run-checks.ts'
import { countDownload } from '../downloads.ts'
import { announce, settle } from '../refs-updated.ts'
import { openProject } from './access.ts'
import type { GitTarget, GitRequest, OpenGitTarget, PushRules } from '../../../git-target.ts'
import { Refusal } from './refusal.ts'

/**
 * The place that an address leads to, of a kind that another domain brings or the code of a project. Throws Refusal for
 * whoever may not do what is asked for.
 */
export async function openPlace(
  ctx: Ctx,
  kinds: readonly OpenGitTarget[],
  request: GitRequest,
): Promise<GitTarget> {
  const { place, project } = await admit(ctx, kinds, request)
  if (place) return place
  if (request.purpose === 'read') refusing(() => countDownload(ctx, project.id))
  const repo = repoOf(ctx, project)
  return { ctx, repo, rules: pushRulesOf(ctx, project, repo) }
}

/** What an address leads to: a place of a kind that another domain brings, or a project. */
export type Admitted =
  | { readonly place: GitTarget; readonly project?: undefined }
  | { readonly place?: undefined; readonly project: Project }

/** Lets whoever asks in where git would let them in, too. Throws Refusal for everybody else. */
export async function admit(
  ctx: Ctx,
  kinds: readonly OpenGitTarget[],
  request: GitRequest,
): Promise<Admitted> {
  if (request.purpose === 'write') checkOpenForWrites(ctx)
  for (const open of kinds) {
    const place = await open(ctx, request)
    if (place) return { place }
  }
  const project = openProject(ctx, request)
  await askOthers(ctx, project)
  return { project }
}

/** Throws Refusal while the instance takes no pushes of the actor. */
function checkOpenForWrites(ctx: Ctx): void {
  const message = ctx.actor.is_admin ? null : maintenanceOf(ctx)
  if (message !== null) throw new Refusal(503, message)
}

/** Throws Refusal where another service does not let the actor in. */
async function askOthers(ctx: Ctx, project: Project): Promise<void> {
  await scope.admits?.(ctx, project)?.catch((error: unknown) =>
    refusing(() => {
      throw error
    }),
  )
}

/** Failures of the work, in the form that git shows. */
function refusing(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (error instanceof Failure) throw new Refusal(403, error.message.replace(/^\d+ \w+ - /, ''))
    throw error
  }
}

/** Pushes to projects ask the same rules as the API and merges, and are announced in the journal. */
export function pushRulesOf(ctx: Ctx, { id }: Project, repo: Repo): PushRules {
  const passed = new Set<string>()
  return {
    async refusal(changes, { quarantineEnv: env, signal }) {
      const project = projectById(ctx.db, id)
      if (!project) return 'The project is gone.'
      return refusalOf({ ctx, project, repo, source: 'push', changes, env, signal, passed })
    },
    announce(changes, push_options) {
      const announced = announce(ctx, { id }, { source: 'push', changes, push_options })
      return (happened) => settle(ctx, announced, happened)
    },
  }
}
