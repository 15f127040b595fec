import type { Ctx } from '../../../../ctx.ts'
import { readFile } from '../../../../git/read/blob.ts'
import { lastCommitFor } from '../../../../git/read/log.ts'
import { branchTip } from '../../../../git/read/revisions.ts'
import { fail, Failure } from '../../../../lib/fail.ts'
import { canRead, hasAbility } from '../../../../policy/ability.ts'
import {
  findNote,
  noteTarget,
  noteRowsById,
  suggestionsById,
  type NoteRow,
  type Position,
  type SuggestionView,
} from '../../../discussions/index.ts'
import { inRepository, project as scope, projectById, type Project } from '../../../projects/index.ts'
import type { FileAction } from '../../../repository/index.ts'
import { sourceProject } from '../../diffs/branches.ts'
import { abilities, mayPushToSource } from '../../policy.ts'
import { mergeRequestNoteable } from '../../service-notes.ts'
import * as requests from '../../store.ts'
import type { MergeRequestRow } from '../../types.ts'
import { positionInNewest } from '../target.ts'
import { contentOf, linesWithEnds, MAX_FILE_BYTES, overlap, replaceSpans, type LineSpan } from './offer.ts'

/** A suggestion with the lines of the newest version that it replaces. */
interface LocatedSuggestion extends SuggestionMatch {
  readonly path: string
  readonly span: LineSpan
}

const refuse = (sentence: string) => fail('bad_request', sentence)

const outdatedError = ({ suggestion }: SuggestionMatch) =>
  suggestion.lines_above + suggestion.lines_below > 0
    ? refuse("Can't apply as these lines were changed in a more recent version.")
    : refuse("Can't apply as this line was changed in a more recent version.")

/** Throws 400 for a suggestion that cannot be applied, whatever the file contains. */
function checkState({ suggestion, request, source }: SuggestionMatch): void {
  if (suggestion.applied) throw refuse("Can't apply this suggestion.")
  if (request.state === 'merged')
    throw refuse('This merge request was merged. To apply this suggestion, edit this file directly.')
  if (request.state !== 'opened')
    throw refuse('This merge request is closed. To apply this suggestion, edit this file directly.')
  if (!source) throw refuse("Can't apply as the source branch was deleted.")
  if (suggestion.from_content === suggestion.to_content)
    throw refuse('This suggestion already matches its content.')
}

async function locate(ctx: Ctx, match: SuggestionMatch): Promise<LocatedSuggestion> {
  const position = await positionInNewest(ctx, match.project, match.request, match.position)
  if (position.head_sha !== match.request.head_sha || position.new_line == null) throw outdatedError(match)
  const { lines_above, lines_below } = match.suggestion
  const span = { from: position.new_line - lines_above, to: position.new_line + lines_below }
  return { ...match, path: position.new_path, span }
}

/**
 * Returns the file changes that apply suggestions to their source branch. Throws 400 with the reason when a suggestion
 * cannot be applied, when the suggestions are for several branches, or when their lines overlap.
 */
export async function changesFor(
  ctx: Ctx,
  matches: readonly SuggestionMatch[],
): Promise<{ source: Project; branch: string; actions: FileAction[] }> {
  for (const match of matches) checkState(match)
  const [first] = matches as [SuggestionMatch]
  const branch = first.request.source_branch
  if (
    matches.some((match) => match.source!.id !== first.source!.id || match.request.source_branch !== branch)
  )
    throw refuse('Suggestions must all be on the same branch.')
  const located = await Promise.all(matches.map((match) => locate(ctx, match)))
  const byPath = Map.groupBy(located, (suggestion) => suggestion.path)
  for (const suggestions of byPath.values()) {
    if (overlap(suggestions.map((suggestion) => suggestion.span)))
      throw refuse('Suggestions are not applicable as their lines cannot overlap.')
  }
  const actions: FileAction[] = []
  for (const [path, suggestions] of byPath)
    actions.push(await changeOf(ctx, first.source!, { branch, path, suggestions }))
  return { source: first.source!, branch, actions }
}

function changeOf(
  ctx: Ctx,
  source: Project,
  { branch, path, suggestions }: { branch: string; path: string; suggestions: readonly LocatedSuggestion[] },
): Promise<FileAction> {
  return inRepository(ctx, source, async (repo) => {
    const tip = await branchTip(repo, branch)
    if (tip === null) throw refuse("Can't apply as the source branch was deleted.")
    const [file, lastCommit] = await Promise.all([
      readFile(repo, tip, path, { maxBytes: MAX_FILE_BYTES }),
      lastCommitFor(repo, tip, path),
    ])
    if (!file) throw refuse('A file was not found.')
    const text = file.content.toString('utf8')
    const lines = linesWithEnds(text)
    for (const suggestion of suggestions)
      if (contentOf(lines, suggestion.span) !== suggestion.suggestion.from_content)
        throw outdatedError(suggestion)
    const newText = replaceSpans(
      text,
      suggestions.map(({ span, suggestion }) => ({ ...span, content: suggestion.to_content })),
    )
    const content = Buffer.from(newText).toString('base64')
    return { action: 'update', file_path: path, content, encoding: 'base64', last_commit_id: lastCommit?.id }
  })
}

/** A suggestion with its note, merge request and projects. */
export interface SuggestionMatch {
  readonly suggestion: SuggestionView
  readonly note: NoteRow
  readonly position: Position
  readonly request: MergeRequestRow
  /** The target project. */
  readonly project: Project
  /** The source project. Undefined when it is deleted. */
  readonly source: Project | undefined
}

/**
 * Finds suggestions by their IDs, in that order. Throws 404 with `notFoundMessage` unless the actor may see all of them,
 * and 403 unless the actor may push to the source branches.
 */
export function findSuggestions(
  ctx: Ctx,
  ids: readonly number[],
  notFoundMessage: string,
): SuggestionMatch[] {
  const rows = new Map(suggestionsById(ctx.db, ids).map((row) => [row.id, row]))
  const notes = new Map(
    noteRowsById(
      ctx.db,
      [...rows.values()].map((row) => row.note_id),
    ).map((note) => [note.id, note]),
  )
  const matches = ids.map((id) => {
    const suggestion = rows.get(id)
    const match = suggestion && visibleMatch(ctx, suggestion, notes.get(suggestion.note_id)!)
    if (!match) throw new Failure('not_found', notFoundMessage)
    return match
  })
  for (const { request, project, source } of matches) {
    if (source && !mayPushToSource(ctx, project, source, request)) throw fail('forbidden')
  }
  return matches
}
function visibleMatch(ctx: Ctx, suggestion: SuggestionView, note: NoteRow): SuggestionMatch | undefined {
  const request = requests.byId(ctx.db, note.noteable_id!)
  const project = request && projectById(ctx.db, request.project_id)
  if (!project || !canRead(ctx, scope, project)) return undefined
  if (!hasAbility(ctx, scope, abilities.read_merge_request, project)) return undefined
  if (!findNote(ctx, noteTarget(ctx, project, mergeRequestNoteable(request)), note.id)) return undefined
  const position = JSON.parse(note.position!) as Position
  return { suggestion, note, position, request, project, source: sourceProject(ctx, project, request) }
}
