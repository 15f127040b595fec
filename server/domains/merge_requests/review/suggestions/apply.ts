import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { fail } from '../../../../lib/fail.ts'
import {
  getDiscussion,
  markSuggestionsApplied,
  noteTarget,
  resolveDiscussion,
  suggestionsById,
  type PositionedSuggestion,
} from '../../../discussions/index.ts'
import { fullPath } from '../../../projects/index.ts'
import { commitFiles } from '../../../repository/index.ts'
import { userById, type UserRow } from '../../../users/index.ts'
import { fillTemplate } from '../../merging/messages.ts'
import { mergeRequestNoteable } from '../../service-notes.ts'
import { changesFor, findSuggestions, type SuggestionMatch } from './changes.ts'

const DEFAULT_MESSAGE = 'Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)'

/** Returns the authors of suggestions, each once. */
function authorsOf(ctx: Ctx, matches: readonly SuggestionMatch[]): UserRow[] {
  const ids = [...new Set(matches.map((match) => match.note.author_id))]
  return ids.flatMap((id) => userById(ctx.db, id) ?? [])
}

/** Returns the commit email address of a user. */
const emailOf = (user: UserRow): string => user.commit_email || user.email

/**
 * Returns the commit message: the requested one, the template of the project or the default, with the values of its
 * placeholders.
 */
function messageFor(
  ctx: Ctx,
  matches: readonly SuggestionMatch[],
  message: string | undefined,
): Promise<string> {
  const [{ project, request }] = matches as [SuggestionMatch]
  const paths = [...new Set(matches.map((match) => match.position.new_path))].toSorted()
  const actor = ctx.actor.kind === 'user' ? userById(ctx.db, ctx.actor.id) : undefined
  const coAuthors = authorsOf(ctx, matches).filter((user) => user.id !== actor?.id)
  return fillTemplate(message?.trim() || project.suggestion_commit_message || DEFAULT_MESSAGE, {
    branch_name: () => request.source_branch,
    files_count: () => String(paths.length),
    file_path: () => paths.join(', '),
    file_paths: () => paths.join(', '),
    project_name: () => project.name,
    project_path: () => fullPath(project),
    suggestions_count: () => String(matches.length),
    username: () => actor?.username ?? '',
    user_full_name: () => actor?.name ?? '',
    co_authored_by: () =>
      coAuthors.map((user) => `Co-authored-by: ${user.name} <${emailOf(user)}>`).join('\n'),
  })
}

/**
 * Applies suggestions in one commit to their source branch and resolves their threads. If all suggestions have the same
 * author, that user is the author of the commit. Throws 404 with `notFoundMessage` for suggestions that the actor may
 * not see, 403 when the actor may not push, 400 with the reason when a suggestion cannot be applied.
 */
export async function applySuggestions(
  ctx: Ctx,
  ids: readonly number[],
  input: { readonly message: string | undefined; readonly notFoundMessage: string },
): Promise<PositionedSuggestion[]> {
  const matches = findSuggestions(ctx, ids, input.notFoundMessage)
  const { source, branch, actions } = await changesFor(ctx, matches)
  const [author, ...others] = authorsOf(ctx, matches)
  const authorship =
    author && others.length === 0 ? { author_name: author.name, author_email: emailOf(author) } : {}
  const commit_message = await messageFor(ctx, matches, input.message)
  const commit = await commitFiles(
    ctx,
    source,
    { branch, commit_message, actions, ...authorship },
    (sentence) => fail('bad_request', sentence),
  )
  tx(ctx.db, () => {
    markSuggestionsApplied(ctx.db, ids, commit.id)
    resolveThreads(ctx, matches)
  })
  const rows = new Map(suggestionsById(ctx.db, ids).map((row) => [row.id, row]))
  return matches.map(({ suggestion, position }) => ({
    ...(rows.get(suggestion.id) ?? suggestion),
    position,
  }))
}

function resolveThreads(ctx: Ctx, matches: readonly SuggestionMatch[]): void {
  const threads = new Map(matches.map((match) => [match.note.discussion_id, match]))
  for (const [id, { project, request }] of threads) {
    const target = noteTarget(ctx, project, mergeRequestNoteable(request))
    const isResolvable = getDiscussion(ctx, target, id).some((note) => note.resolvable)
    if (isResolvable) resolveDiscussion(ctx, target, id, true)
  }
}
