import type { Ctx } from '../../ctx.ts'
import { branchTip } from '../../git/revisions.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { inRepository, type Project } from '../projects/index.ts'
import * as store from './store.ts'

const MAX_TITLE = 255
const MAX_DESCRIPTION = 1_048_576

/** Longer than so many characters, counted as people do. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && [...text].length > max
}

/** Field by field, what is wrong with texts (spec core 5.3). */
export function textProblems(given: {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
}): Record<string, string> {
  const problems: Record<string, string> = {}
  if (given.title === '') problems['title'] = "can't be blank"
  if (given.title !== undefined && isLonger(given.title, MAX_TITLE))
    problems['title'] = `is too long (maximum is ${MAX_TITLE} characters)`
  if (given.description && isLonger(given.description, MAX_DESCRIPTION))
    problems['description'] = `is too long (maximum is ${MAX_DESCRIPTION} characters)`
  return problems
}

/** Throws 400 with what is wrong, where something is. */
export function refuseProblems(problems: Readonly<Record<string, string>>): void {
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Whether two projects were forked from each other, directly or not, or are one. */
export function areRelated(one: Project, other: Project): boolean {
  const network = (project: Project) => project.fork_network_id ?? project.id
  return network(one) === network(other)
}

/** Throws 422 unless both projects come from the same one and the branches are two. */
export function checkWay(
  source: Project,
  target: Project,
  branches: { readonly source_branch: string; readonly target_branch: string },
): void {
  if (!areRelated(source, target))
    throw fail('unprocessable', ['Source project is not a fork of the target project'])
  if (source.id === target.id && branches.source_branch === branches.target_branch)
    throw fail('unprocessable', ["You can't use same project/branch for source and target"])
}

/** Throws 409 when another merge request that leads the same way is open. */
export function refuseDuplicate(ctx: Ctx, route: store.Route, exceptId: number | null = null): void {
  const twin = store.openDuplicate(ctx.db, route, exceptId)
  if (twin !== undefined)
    throw fail('conflict', [`Another open merge request already exists for this source branch: !${twin}`])
}

/** The commit at the tip of a branch of a project; null where there is none. */
export function tipOf(ctx: Ctx, project: Project, branch: string): Promise<string | null> {
  return inRepository(ctx, project, (repo) => branchTip(repo, branch))
}

/** Whether the commits of a merge request become one: as wanted, as far as the project leaves the choice. */
export function squashOf(project: Project, wanted: boolean | undefined): boolean {
  const { squash_option: option } = project
  if (option === 'always') return true
  if (option === 'never') return false
  return wanted ?? option === 'default_on'
}
