import type { Ctx } from '../../ctx.ts'
import { branchTip } from '../../git/read/revisions.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { inRepository, type Project } from '../projects/index.ts'
import * as store from './store.ts'

const MAX_TITLE = 255
const MAX_DESCRIPTION = 1_048_576

/** Whether a text has more characters (not UTF-16 units) than `max`. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && [...text].length > max
}

/** Describes the problems of the texts, by field (spec core 5.3). */
export function textProblems(texts: {
  readonly title?: string | undefined
  readonly description?: string | null | undefined
}): Record<string, string> {
  const problems: Record<string, string> = {}
  if (texts.title === '') problems['title'] = "can't be blank"
  if (texts.title !== undefined && isLonger(texts.title, MAX_TITLE))
    problems['title'] = `is too long (maximum is ${MAX_TITLE} characters)`
  if (texts.description && isLonger(texts.description, MAX_DESCRIPTION))
    problems['description'] = `is too long (maximum is ${MAX_DESCRIPTION} characters)`
  return problems
}

/** Throws 400 with the problems, if there are any. */
export function refuseProblems(problems: Readonly<Record<string, string>>): void {
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Whether two projects are in one fork network, or are the same. */
export function areRelated(project: Project, other: Project): boolean {
  const network = (project: Project) => project.fork_network_id ?? project.id
  return network(project) === network(other)
}

/** Throws 422 unless the projects are related and the branches differ. */
export function checkBranchPair(
  source: Project,
  target: Project,
  branches: { readonly source_branch: string; readonly target_branch: string },
): void {
  if (!areRelated(source, target))
    throw fail('unprocessable', ['Source project is not a fork of the target project'])
  if (source.id === target.id && branches.source_branch === branches.target_branch)
    throw fail('unprocessable', ["You can't use same project/branch for source and target"])
}

/** Throws 409 when another merge request with the same source and target is open. */
export function refuseDuplicate(ctx: Ctx, route: store.BranchPair, exceptId: number | null = null): void {
  const duplicate = store.openDuplicate(ctx.db, route, exceptId)
  if (duplicate !== undefined)
    throw fail('conflict', [
      `Another open merge request already exists for this source branch: !${duplicate}`,
    ])
}

/** Returns the head commit of a branch of a project. Null when it does not exist. */
export function tipOf(ctx: Ctx, project: Project, branch: string): Promise<string | null> {
  return inRepository(ctx, project, (repo) => branchTip(repo, branch))
}

/** Whether the commits are squashed. The project can require or forbid it; otherwise the request decides. */
export function squashOf(project: Project, requested: boolean | undefined): boolean {
  const { squash_option: option } = project
  if (option === 'always') return true
  if (option === 'never') return false
  return requested ?? option === 'default_on'
}
