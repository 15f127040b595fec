import { renderDescription } from '../../projects/index.ts'

/** A label's description as HTML for its column, one line without a paragraph around it; null where the text does. */
export async function renderLine(text: string | null): Promise<string | null> {
  const html = await renderDescription(text)
  const inner = html === null ? undefined : /^<p[^>]*>([^]*)<\/p>$/.exec(html)?.[1]
  return inner === undefined || inner.includes('<p') ? html : inner
}
