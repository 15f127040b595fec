import type { Ctx } from '../../../../ctx.ts'
import { readFile } from '../../../../git/blob.ts'
import type { NewSuggestion, Position } from '../../../discussions/index.ts'
import { inRepository, type Project } from '../../../projects/index.ts'
import { contentOf, linesWithEnds } from './lines.ts'
import { parseSuggestions } from './parse.ts'

/** Larger files are not changed by suggestions. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024

/**
 * The changes that a text offers for the lines around its place, with what stands there. Only lines of the new side can
 * be changed; what reaches beyond the file is cut.
 */
export async function suggestionsIn(
  ctx: Ctx,
  project: Project,
  text: string,
  position: Position,
): Promise<readonly NewSuggestion[]> {
  if (position.position_type !== 'text' || position.new_line == null) return []
  const line = position.new_line
  const offered = parseSuggestions(text)
  if (offered.length === 0) return []
  const lines = await linesOf(ctx, project, position.head_sha, position.new_path)
  return offered.flatMap(({ lines_above, lines_below, to_content }) => {
    const above = Math.min(lines_above, line - 1)
    const below = Math.max(0, Math.min(lines_below, lines.length - line))
    const from_content = contentOf(lines, { from: line - above, to: line + below })
    if (from_content === undefined) return []
    return [{ lines_above: above, lines_below: below, from_content, to_content }]
  })
}

async function linesOf(ctx: Ctx, project: Project, commit: string, path: string): Promise<string[]> {
  const file = await inRepository(ctx, project, (repo) =>
    readFile(repo, commit, path, { maxBytes: MAX_FILE_BYTES }).catch(() => null),
  )
  return file ? linesWithEnds(file.content.toString('utf8')) : []
}
