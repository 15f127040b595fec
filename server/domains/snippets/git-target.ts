import type { Ctx } from '../../ctx.ts'
import { canRead, isAble } from '../../policy/ability.ts'
import { project as scope, type Project } from '../projects/index.ts'
import {
  checkWay,
  notWritable,
  projectAt,
  Refusal,
  type GitTarget,
  type GitRequest,
} from '../repository/index.ts'
import { abilities } from './policy.ts'
import { rulesOf } from './push.ts'
import { repoOfSnippet } from './repository.ts'
import { canChange, canSee, type SnippetRow } from './snippet.ts'
import * as store from './store.ts'

const ADDRESS = /^(?:(.+)\/)?snippets\/(\d{1,15})$/

/**
 * The repository of a snippet, at `snippets/<id>` or `<full path of its project>/snippets/<id>`. Whoever sees a snippet
 * may clone it, and whoever may change it may push. Tokens and keys of machines are for the code of projects.
 */
export function openSnippet(ctx: Ctx, request: GitRequest): GitTarget | undefined {
  const { kind } = ctx.actor
  if (kind !== 'user' && (kind !== 'anonymous' || request.purpose === 'write')) return undefined
  const found = seen(ctx, request.path)
  if (!found) return undefined
  const { snippet, project } = found
  checkWay(ctx, project, request)
  if (request.purpose === 'write') checkMayPush(ctx, snippet, project)
  return { ctx, repo: repoOfSnippet(ctx, snippet), rules: rulesOf(ctx, snippet.id) }
}

/** The snippet at an address, if the actor may know of it. */
function seen(ctx: Ctx, path: string): { snippet: SnippetRow; project: Project | undefined } | undefined {
  const [, place, id] = ADDRESS.exec(path) ?? []
  if (id === undefined) return undefined
  const project = place === undefined ? undefined : projectAt(ctx, place)
  const snippet = store.byId(ctx.db, Number(id))
  if (!snippet || snippet.project_id !== (project?.id ?? null)) return undefined
  if (place !== undefined && !(project && showsSnippets(ctx, project))) return undefined
  return canSee(ctx, snippet, project) ? { snippet, project } : undefined
}

function showsSnippets(ctx: Ctx, project: Project): boolean {
  return canRead(ctx, scope, project) && isAble(ctx, scope, abilities.read_snippets, project)
}

function checkMayPush(ctx: Ctx, snippet: SnippetRow, project: Project | undefined): void {
  const { repository_read_only } = snippet
  const problem = notWritable({ archived: project?.archived ?? false, repository_read_only })
  if (problem) throw new Refusal(403, problem)
  const mayTry = !project || isAble(ctx, scope, abilities.change_snippet, project, true)
  if (!mayTry || !canChange(ctx, snippet, project))
    throw new Refusal(403, 'You are not allowed to change this snippet.')
}
