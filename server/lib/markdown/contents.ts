import type MarkdownIt from 'markdown-it'

type Renderer = InstanceType<typeof MarkdownIt>
type Token = ReturnType<Renderer['parse']>[number]

/** The maximum number of listed headings. */
const MAX_HEADINGS = 500

/** A heading in a table of contents. */
export interface Heading {
  /** 1 to 6. */
  readonly level: number
  /** The id of the heading, for links, without `#`. */
  readonly id: string
  readonly title: string
}

/** Replaces the first line that is only `[[_TOC_]]` or `[TOC]` by the list of headings. */
export function tableOfContents(md: Renderer): void {
  md.core.ruler.after('heading_anchors', 'table_of_contents', (state) => {
    const { tokens } = state
    const at = tokens.findIndex(
      (token, index) =>
        token.type === 'inline' &&
        token.level === 1 &&
        tokens[index - 1]?.type === 'paragraph_open' &&
        /^(\[\[_TOC_\]\]|\[TOC\])$/i.test(token.content.trim()),
    )
    if (at < 0) return
    const list = new state.Token('html_block', '', 0)
    list.content = contentsHtml(headingsOf(tokens), md.utils.escapeHtml)
    tokens.splice(at - 1, 3, list)
  })
}

function headingsOf(tokens: readonly Token[]): Heading[] {
  return tokens.flatMap((token, index) => {
    const id = token.type === 'heading_open' ? token.attrGet('id') : null
    if (id === null) return []
    const title = (tokens[index + 1]?.children ?? []).map((child) => child.content).join('')
    return [{ level: Number(token.tag.slice(1)), id: String(id).replace(/^user-content-/, ''), title }]
  })
}

/** Headings as nested lists of links. A skipped level does not create an empty list. */
export function contentsHtml(headings: readonly Heading[], escape: (text: string) => string): string {
  const open: number[] = []
  let html = ''
  for (const { level, id, title } of headings.slice(0, MAX_HEADINGS)) {
    while (open.length > 1 && open.at(-1)! > level) {
      html += '</li></ul>'
      open.pop()
    }
    if (open.length === 0 || open.at(-1)! < level) {
      html += '<ul><li>'
      open.push(level)
    } else html += '</li><li>'
    html += `<a href="#${encodeURIComponent(id.toWellFormed())}">${escape(title)}</a>`
  }
  return html + '</li></ul>'.repeat(open.length)
}
