import { renderDescription } from '../../projects/index.ts'

/** Renders the description of a label as HTML: one line without a paragraph around it. Null without a description. */
export async function renderLine(text: string | null): Promise<string | null> {
  const html = await renderDescription(text)
  const inner = html === null ? undefined : /^<p[^>]*>([^]*)<\/p>$/.exec(html)?.[1]
  return inner === undefined || inner.includes('<p') ? html : inner
}
