import type { Ctx } from '../../ctx.ts'
import { linksOf } from './resolve.ts'
import type { TextPlace } from './wanted.ts'

/**
 * Markdown as safe HTML in which references to what the reader may see are links: `#1`, `!2`, `@name`, `~label`,
 * `%milestone`, `$3`, ids of commits, each with the path of another project in front, and addresses of the instance.
 */
export async function renderText(ctx: Ctx, text: string, place: TextPlace = {}): Promise<string> {
  // Loaded when first needed: the renderer and its sanitiser are a tenth of the memory of an idle instance.
  const { readMarkdown } = await import('../../lib/markdown.ts')
  const read = readMarkdown(text)
  if (read.marks.length === 0) return read.render(() => undefined)
  const links = await linksOf(ctx, read.marks, place)
  return read.render((mark) => links.get(mark))
}

/** One line, as a title, without the paragraph around it. */
export async function renderLine(ctx: Ctx, text: string, place: TextPlace = {}): Promise<string> {
  const html = (await renderText(ctx, text, place)).trim()
  return html.replace(/^<p>([\s\S]*)<\/p>$/, '$1')
}
