/** Letters, digits and the marks of plain sentences: nothing that Markdown or HTML would make something of. */
const PLAIN = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N} ,;()'’%?-]|[.:!](?= |$))*)?$/u
/** Begins a list, or an address that becomes a link. */
const SPECIAL = /^\d+[.)] |www\.| {2,}|--|\(c\)/i

const isPlain = (text: string): boolean => PLAIN.test(text) && !SPECIAL.test(text)

/**
 * A description as HTML for its column: null where `shownDescription` can tell it from the text. The renderer is loaded
 * when it is first needed.
 */
export async function renderDescription(text: string | null): Promise<string | null> {
  if (text === null || isPlain(text)) return null
  const { renderMarkdown } = await import('../../lib/markdown.ts')
  return renderMarkdown(text).trimEnd()
}

/** The description as HTML: what was rendered when it was written, or the plain words in a paragraph. */
export function shownDescription(text: string | null, html: string | null): string {
  if (html !== null) return html
  return text ? `<p>${escape(text)}</p>` : ''
}

/** Texts from before there was a column may hold anything. */
function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
