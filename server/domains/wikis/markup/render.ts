import type { Ctx } from '../../../ctx.ts'
import type { Group } from '../../groups/index.ts'
import { renderText } from '../../markdown/index.ts'
import type { Project } from '../../projects/index.ts'

/** Whose wiki a page is in: exactly one of the two. */
export interface WikiPlace {
  readonly project?: Project | undefined
  readonly group?: Group | undefined
}

/** What is rendered of a page. */
export interface PageSource {
  readonly slug: string
  readonly format: string
  readonly content: string
}

/**
 * A page as safe HTML. Links to other pages and to attachments lead into the wiki; references (`#1`, `@name`) are links
 * as far as the reader may see what they name. What cannot be rendered, or takes too long, is shown as it was written.
 */
export async function renderPage(ctx: Ctx, place: WikiPlace, page: PageSource): Promise<string> {
  return renderText(ctx, page.content, { project: place.project })
}
