import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { updateProject, type Project } from '../../projects/index.ts'
import { branchPattern } from '../validation.ts'
import type { PullingProject } from './entity.ts'
import { requestPull } from './jobs.ts'
import { find, write } from './store.ts'

/** What can be said of how a project follows a repository elsewhere; what is absent stays. */
export interface GivenPull {
  readonly mirror?: boolean | undefined
  readonly import_url?: string | undefined
  readonly auth_user?: string | undefined
  readonly auth_password?: string | undefined
  readonly mirror_trigger_builds?: boolean | undefined
  readonly only_mirror_protected_branches?: boolean | undefined
  readonly mirror_overwrites_diverged_branches?: boolean | undefined
  readonly mirror_branch_regex?: string | null | undefined
}

const FLAGS = [
  'mirror',
  'mirror_trigger_builds',
  'only_mirror_protected_branches',
  'mirror_overwrites_diverged_branches',
] as const

/** How following goes. Throws 400 for a project that follows nothing. */
export function pullMirrorOf(ctx: Pick<Ctx, 'db'>, project: Project): PullingProject {
  if (!project.mirror) throw fail('bad_request', 'The project is not mirrored')
  return { project, row: find(ctx.db, project.id) }
}

/** Has a project updated soon, one that had failed for good as well. Throws 400 for one that follows nothing. */
export function startPull(ctx: Ctx, project: Project): PullingProject {
  pullMirrorOf(ctx, project)
  requestPull(ctx, project.id)
  return pullMirrorOf(ctx, project)
}

/**
 * Changes from where and how a project is updated, as changing the project does; updates follow by themselves. Throws as
 * `updateProject`.
 */
export async function changePull(ctx: Ctx, project: Project, given: GivenPull): Promise<PullingProject> {
  const flags = FLAGS.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))
  const import_url = addressOf(project, given)
  const changes = { ...Object.fromEntries(flags), ...(import_url === undefined ? {} : { import_url }) }
  const before = find(ctx.db, project.id)?.mirror_branch_regex ?? null
  const pattern = patternAfter(before, given)
  // It stands there before what follows the address begins, and goes back where that is refused.
  keepPattern(ctx, project, pattern)
  try {
    const changed = await updateProject(ctx, project, {
      ...changes,
      ...(given.mirror_branch_regex ? { only_mirror_protected_branches: false } : {}),
    })
    if (pattern !== before && changed.mirror) requestPull(ctx, project.id)
    return { project: changed, row: find(ctx.db, project.id) }
  } catch (error) {
    keepPattern(ctx, project, before)
    throw error
  }
}

/** Which branches are followed by name: one says so, or that only protected ones are. Throws 400 for what is no pattern. */
function patternAfter(before: string | null, given: GivenPull): string | null {
  if (given.mirror_branch_regex) branchPattern(given.mirror_branch_regex)
  if (given.only_mirror_protected_branches === true) return null
  return given.mirror_branch_regex === undefined ? before : given.mirror_branch_regex || null
}

function keepPattern(ctx: Ctx, project: Project, mirror_branch_regex: string | null): void {
  if ((find(ctx.db, project.id)?.mirror_branch_regex ?? null) === mirror_branch_regex) return
  write(ctx.db, project.id, { mirror_branch_regex, updated_at: ctx.now })
}

/** The address with the user name and password that were given beside it. */
function addressOf(project: Project, given: GivenPull): string | undefined {
  const { import_url = project.import_url, auth_user, auth_password } = given
  if (auth_user === undefined && auth_password === undefined) return given.import_url
  if (!import_url || !URL.canParse(import_url)) return given.import_url
  const url = new URL(import_url)
  url.username = encodeURIComponent(auth_user ?? '')
  url.password = encodeURIComponent(auth_password ?? '')
  return url.toString()
}
