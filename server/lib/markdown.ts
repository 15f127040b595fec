import MarkdownIt from 'markdown-it'

import sanitizeHtml from 'sanitize-html'

type Renderer = InstanceType<typeof MarkdownIt>

/** Larger texts are shown as they are: rendering must not hold up other requests. */
const MAX_RENDERED = 512 * 1024

/** Everything the window needs from rendered text, and nothing that runs or reaches out by itself. */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: [
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
    'p',
    'blockquote',
    'pre',
    'code',
    'hr',
    'br',
    'ul',
    'ol',
    'li',
    'dl',
    'dt',
    'dd',
    'table',
    'thead',
    'tbody',
    'tfoot',
    'tr',
    'th',
    'td',
    'caption',
    'a',
    'img',
    'strong',
    'b',
    'em',
    'i',
    'u',
    's',
    'del',
    'ins',
    'sub',
    'sup',
    'kbd',
    'samp',
    'var',
    'mark',
    'small',
    'abbr',
    'q',
    'cite',
    'span',
    'div',
    'details',
    'summary',
    'input',
    'picture',
    'source',
  ],
  allowedAttributes: {
    a: ['href', 'title', 'name', 'id', 'rel', 'class', 'aria-hidden'],
    img: ['src', 'alt', 'title', 'width', 'height', 'align'],
    source: ['srcset', 'media'],
    input: ['type', 'checked', 'disabled', 'class'],
    ol: ['start'],
    th: ['align', 'colspan', 'rowspan'],
    td: ['align', 'colspan', 'rowspan'],
    pre: ['lang', 'class'],
    code: ['class'],
    li: ['class'],
    ul: ['class'],
    details: ['open'],
    abbr: ['title'],
    p: ['align'],
    div: ['align'],
    '*': ['id', 'dir'],
  },
  allowedClasses: {
    a: ['anchor'],
    pre: ['code'],
    code: ['language-*'],
    li: ['task-list-item'],
    ul: ['task-list'],
    input: ['task-list-item-checkbox'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'ftp'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  transformTags: {
    // Ids of user text must not shadow those of the page.
    '*': (tagName, attribs) => {
      const { id } = attribs
      if (id && !id.startsWith('user-content-')) attribs['id'] = `user-content-${id}`
      return { tagName, attribs }
    },
    a: (tagName, attribs) => {
      const outside = /^(https?:)?\/\//i.test(attribs['href'] ?? '')
      return { tagName, attribs: outside ? { ...attribs, rel: 'nofollow noreferrer noopener' } : attribs }
    },
    // The only inputs are the boxes of task lists, and they cannot be used.
    input: (tagName, attribs) => ({
      tagName,
      attribs: {
        type: 'checkbox',
        disabled: 'disabled',
        class: 'task-list-item-checkbox',
        ...('checked' in attribs ? { checked: 'checked' } : {}),
      },
    }),
  },
}

/** `[ ]` and `[x]` at the start of a list item become boxes. */
function taskLists(md: Renderer): void {
  md.core.ruler.after('inline', 'task_lists', (state) => {
    for (const [index, token] of state.tokens.entries()) {
      const item = state.tokens[index - 2]
      const first = token.children?.[0]
      if (token.type !== 'inline' || item?.type !== 'list_item_open' || first?.type !== 'text') continue
      const box = /^\[([ xX])\](?=\s)/.exec(first.content)
      if (!box) continue
      first.content = first.content.slice(box[0].length)
      const html = new state.Token('html_inline', '', 0)
      html.content = `<input type="checkbox" disabled${box[1] === ' ' ? '' : ' checked'}>`
      token.children!.unshift(html)
      item.attrJoin('class', 'task-list-item')
    }
  })
}

/** Headings can be linked to: `#usage` finds "Usage"; a second one is `#usage-1`. */
function headingAnchors(md: Renderer): void {
  md.core.ruler.push('heading_anchors', (state) => {
    const used = new Map<string, number>()
    for (const [index, token] of state.tokens.entries()) {
      if (token.type !== 'heading_open') continue
      const words =
        state.tokens[index + 1]?.children?.filter(
          (child) => child.type === 'text' || child.type === 'code_inline',
        ) ?? []
      const slug = words
        .map((child) => child.content)
        .join('')
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s+/g, '-')
      const count = used.get(slug) ?? 0
      used.set(slug, count + 1)
      if (slug) token.attrSet('id', `user-content-${count === 0 ? slug : `${slug}-${count}`}`)
    }
  })
}

/** Fenced code keeps its language as `lang`, for whoever colours it. */
function fences(md: Renderer): void {
  md.renderer.rules.fence = (tokens, index) => {
    const { content, info } = tokens[index]!
    const language = info.trim().split(/\s+/)[0] ?? ''
    const lang = language ? ` lang="${md.utils.escapeHtml(language)}"` : ''
    return `<pre class="code"${lang}><code>${md.utils.escapeHtml(content)}</code></pre>\n`
  }
}

const renderers = { gfm: make(true), plain: make(false) }

function make(breaks: boolean): Renderer {
  return new MarkdownIt({ html: true, linkify: true, breaks }).use(taskLists).use(headingAnchors).use(fences)
}

/**
 * Markdown as safe HTML: tables, task lists, autolinks, heading anchors; scripts, styles, frames and event handlers
 * never survive. `breaks` turns single line ends into line breaks, as in comments. A text over 512 kB is shown as
 * plain text.
 */
export function renderMarkdown(text: string, options: { breaks?: boolean } = {}): string {
  if (text.length > MAX_RENDERED) return `<pre>${renderers.plain.utils.escapeHtml(text)}</pre>`
  const html = (options.breaks ? renderers.gfm : renderers.plain).render(text)
  return sanitizeHtml(html, ALLOWED)
}
