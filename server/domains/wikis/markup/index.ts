import type { Ctx } from '../../../ctx.ts'
import { withoutFrontMatter } from '../../../lib/markup/front-matter.ts'
import type { Group } from '../../groups/index.ts'
import { renderMarkup } from '../../markdown/index.ts'
import { fullPath, type Project } from '../../projects/index.ts'

export { FORMATS, formatOfExtension, WRITABLE_FORMATS, type PageFormat } from '../../../lib/markup/formats.ts'

/** Whose wiki a page is in: exactly one of the two. */
export interface WikiOwnerIds {
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
 * A page as safe HTML. Links to other pages and to attachments lead into the wiki; in Markdown, references (`#1`, `@name`)
 * are links as far as the reader may see what they name. A block of YAML at the top is not shown. What cannot be rendered, or
 * takes too long, is shown as it was written, as are the formats that can only be read.
 */
export async function renderPage(ctx: Ctx, owner: WikiOwnerIds, page: PageSource): Promise<string> {
  const text = withoutFrontMatter(page.content)
  const wiki = { base: baseOf(ctx, owner), slug: page.slug }
  return renderMarkup(ctx, { format: page.format, text }, { project: owner.project, wiki })
}

/** The address of a wiki, as it stands in pages. */
function baseOf(ctx: Ctx, { project, group }: WikiOwnerIds): string {
  const path = project ? fullPath(project) : `groups/${group!.full_path}`
  return `${new URL(ctx.config.url).pathname.replace(/\/$/, '')}/${path}/-/wikis`
}
