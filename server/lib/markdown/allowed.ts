import type { IOptions } from 'sanitize-html'

/** Replaces the style that aligns columns of Markdown tables by the attribute `align`, because styles are removed. */
function keepAlignment(tagName: string, attribs: Record<string, string>) {
  const { style, ...others } = attribs
  const align = /^text-align:(left|center|right)$/.exec(style ?? '')?.[1]
  return { tagName, attribs: align ? { ...others, align } : others }
}

/** The HTML that is allowed in rendered text: nothing that runs or loads by itself. */
export const ALLOWED: IOptions = {
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
    'section',
    'summary',
    'input',
    'picture',
    'source',
  ],
  allowedAttributes: {
    a: ['href', 'title', 'name', 'id', 'rel', 'class', 'aria-hidden', 'data-label-color'],
    img: ['src', 'alt', 'title', 'width', 'height', 'align'],
    source: ['srcset', 'media'],
    input: ['type', 'checked', 'disabled', 'class'],
    ol: ['start'],
    th: ['align', 'colspan', 'rowspan'],
    td: ['align', 'colspan', 'rowspan'],
    pre: ['lang', 'class'],
    code: ['class', 'data-math-style'],
    section: ['class'],
    sup: ['class'],
    li: ['class'],
    ul: ['class'],
    details: ['open'],
    abbr: ['title'],
    p: ['align'],
    div: ['align'],
    '*': ['id', 'dir'],
  },
  allowedClasses: {
    a: ['anchor', 'footnote-backref', 'gfm', 'gfm-*'],
    pre: ['code'],
    code: ['language-*', 'code', 'math', 'js-render-math'],
    section: ['footnotes'],
    sup: ['footnote-ref'],
    li: ['task-list-item', 'footnote-item'],
    ul: ['task-list'],
    input: ['task-list-item-checkbox'],
    '*': ['adoc-*'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'ftp'],
  allowedSchemesByTag: { img: ['http', 'https'] },
  allowProtocolRelative: false,
  transformTags: {
    // Ids in user text must not hide ids of the page.
    '*': (tagName, attribs) => {
      const { id } = attribs
      if (id && !id.startsWith('user-content-')) attribs['id'] = `user-content-${id}`
      return { tagName, attribs }
    },
    a: (tagName, attribs) => {
      const isExternal = /^(https?:)?\/\//i.test(attribs['href'] ?? '')
      return { tagName, attribs: isExternal ? { ...attribs, rel: 'nofollow noreferrer noopener' } : attribs }
    },
    th: keepAlignment,
    td: keepAlignment,
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
