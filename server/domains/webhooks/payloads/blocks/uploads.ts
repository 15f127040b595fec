import type { Ctx } from '../../../../ctx.ts'
import type { Project } from '../../../projects/index.ts'
import { projectUrl } from './project.ts'

/** A picture or link to a file that was attached to the project: `](/uploads/<secret>/a.png`, or `]: /uploads/…` below. */
const UPLOAD = /(\](?:\(|:[ \t]*)<?)(?=\/uploads\/[0-9a-f]{32}\/)/g

/**
 * A text in Markdown whose links to attached files lead there from anywhere (spec administration 3.7, "Image links").
 * Other links stay as they are.
 */
export function withUploads<Text extends string | null>(
  ctx: Pick<Ctx, 'config'>,
  project: Project,
  text: Text,
): Text {
  if (text === null) return text
  return text.replace(UPLOAD, (start) => start + projectUrl(ctx, project)) as Text
}
