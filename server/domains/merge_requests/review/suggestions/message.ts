import type { Ctx } from '../../../../ctx.ts'
import { fullPath } from '../../../projects/index.ts'
import { userById, type UserRow } from '../../../users/index.ts'
import { fillTemplate } from '../../merging/template.ts'
import type { Found } from './find.ts'

const DEFAULT = 'Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)'

/** Who wrote the suggestions, each once. */
export function authorsOf(ctx: Ctx, found: readonly Found[]): UserRow[] {
  const ids = [...new Set(found.map((one) => one.note.author_id))]
  return ids.flatMap((id) => userById(ctx.db, id) ?? [])
}

/** The address under which git names somebody. */
export const emailOf = (user: UserRow): string => user.commit_email || user.email

/**
 * The message of the commit that applies suggestions: the caller's, the project's template or the usual one, with its
 * placeholders filled.
 */
export function messageFor(ctx: Ctx, found: readonly Found[], given: string | undefined): Promise<string> {
  const [{ project, request }] = found as [Found]
  const paths = [...new Set(found.map((one) => one.position.new_path))].toSorted()
  const actor = ctx.actor.kind === 'user' ? userById(ctx.db, ctx.actor.id) : undefined
  const coAuthors = authorsOf(ctx, found).filter((user) => user.id !== actor?.id)
  return fillTemplate(given?.trim() || project.suggestion_commit_message || DEFAULT, {
    branch_name: () => request.source_branch,
    files_count: () => String(paths.length),
    file_path: () => paths.join(', '),
    file_paths: () => paths.join(', '),
    project_name: () => project.name,
    project_path: () => fullPath(project),
    suggestions_count: () => String(found.length),
    username: () => actor?.username ?? '',
    user_full_name: () => actor?.name ?? '',
    co_authored_by: () =>
      coAuthors.map((user) => `Co-authored-by: ${user.name} <${emailOf(user)}>`).join('\n'),
  })
}
