import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { updateProject, writePullMirror, type Project } from '../../projects/index.ts'
import { branchPattern } from '../validation.ts'
import { requestPull } from './jobs.ts'
import { find, type PullMirrorRow } from './store.ts'

/** A project with its pull mirror. */
export interface PullingProject {
  readonly project: Project
  readonly row: PullMirrorRow | undefined
}

/** The settings of a pull mirror in a request. Undefined fields stay unchanged. */
export interface PullInput {
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

/** Returns the pull mirror of a project. Throws 400 when it has none. */
export function pullMirrorOf(ctx: Pick<Ctx, 'db'>, project: Project): PullingProject {
  if (!project.mirror) throw fail('bad_request', 'The project is not mirrored')
  return { project, row: find(ctx.db, project.id) }
}

/**
 * Schedules an update of a pull mirror, even if automatic updates stopped after too many failures. Throws 400 when the
 * project has none.
 */
export function startPull(ctx: Ctx, project: Project): PullingProject {
  pullMirrorOf(ctx, project)
  requestPull(ctx, project.id)
  return pullMirrorOf(ctx, project)
}

/**
 * Changes the pull mirror of a project by updating the project. The event of that update schedules a pull.
 * Throws the errors of `updateProject`.
 */
export async function changePull(ctx: Ctx, project: Project, input: PullInput): Promise<PullingProject> {
  const flags = FLAGS.flatMap((name) => (input[name] === undefined ? [] : [[name, input[name]]]))
  const import_url = addressOf(project, input)
  const changes = { ...Object.fromEntries(flags), ...(import_url === undefined ? {} : { import_url }) }
  const previous = find(ctx.db, project.id)?.mirror_branch_regex ?? null
  const pattern = patternAfter(previous, input)
  // The pattern is stored first, because updating the project schedules a pull. It is restored if that update is
  // refused.
  storePattern(ctx, project, pattern)
  try {
    const changed = await updateProject(ctx, project, {
      ...changes,
      ...(input.mirror_branch_regex ? { only_mirror_protected_branches: false } : {}),
    })
    if (pattern !== previous && changed.mirror) requestPull(ctx, project.id)
    return { project: changed, row: find(ctx.db, project.id) }
  } catch (error) {
    storePattern(ctx, project, previous)
    throw error
  }
}

/** Returns the new branch pattern. Mirroring only protected branches clears it. Throws 400 for an invalid pattern. */
function patternAfter(previous: string | null, input: PullInput): string | null {
  if (input.mirror_branch_regex) branchPattern(input.mirror_branch_regex)
  if (input.only_mirror_protected_branches === true) return null
  return input.mirror_branch_regex === undefined ? previous : input.mirror_branch_regex || null
}

function storePattern(ctx: Ctx, project: Project, mirror_branch_regex: string | null): void {
  if ((find(ctx.db, project.id)?.mirror_branch_regex ?? null) === mirror_branch_regex) return
  writePullMirror(ctx.db, project.id, { mirror_branch_regex, updated_at: ctx.now })
}

/** Returns the URL with the user name and password of the request. */
function addressOf(project: Project, input: PullInput): string | undefined {
  const { import_url = project.import_url, auth_user, auth_password } = input
  if (auth_user === undefined && auth_password === undefined) return input.import_url
  if (!import_url || !URL.canParse(import_url)) return input.import_url
  const url = new URL(import_url)
  url.username = encodeURIComponent(auth_user ?? '')
  url.password = encodeURIComponent(auth_password ?? '')
  return url.toString()
}
