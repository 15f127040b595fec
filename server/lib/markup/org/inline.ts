import { escapeHtml, headingSlug, isPicture, openTag } from '../html.ts'

/** The maximum length of emphasis, which limits the search for its end. */
const MAX_EMPHASIS = 500
const MAX_LINK = 2000
const MAX_DEPTH = 6

const TAGS: Readonly<Record<string, string>> = {
  '*': 'strong',
  '/': 'em',
  _: 'u',
  '+': 'del',
  '=': 'code',
  '~': 'code',
}
/** Characters that may stand before and after emphasis. */
const BEFORE = /[\s\-–—({'"]/
const AFTER = /[\s\-–—.,;:!?'")}[\]\\]/
/** Characters that may begin markup. */
const SPECIAL = /[*/_+=~[\\<^]|https?:\/\//g

interface InlineMatch {
  readonly html: string
  /** Index after the markup. */
  readonly end: number
}

/** The text of a line or paragraph as HTML: emphasis, code, links, footnotes, line breaks. */
export function orgInline(text: string, depth = 0): string {
  let html = ''
  let from = 0
  SPECIAL.lastIndex = 0
  const special = new RegExp(SPECIAL)
  for (let match = special.exec(text); match; match = special.exec(text)) {
    const inline = matchAt(text, match.index, depth)
    if (!inline) {
      special.lastIndex = match.index + 1
      continue
    }
    html += escapeHtml(text.slice(from, match.index)) + inline.html
    from = inline.end
    special.lastIndex = from
  }
  return html + escapeHtml(text.slice(from))
}

function matchAt(text: string, at: number, depth: number): InlineMatch | undefined {
  switch (text[at]) {
    case '[':
      return linkAt(text, at, depth) ?? footnoteAt(text, at)
    case '\\':
      return /^\\\\[ \t]*(\n|$)/.test(text.slice(at, at + 40)) ? { html: '<br>', end: at + 2 } : undefined
    case '<':
      return angleLinkAt(text, at)
    case 'h':
      return bareLinkAt(text, at)
    case '^':
      return scriptAt(text, at, 'sup')
    default:
      return (text[at] === '_' ? scriptAt(text, at, 'sub') : undefined) ?? emphasisAt(text, at, depth)
  }
}

function emphasisAt(text: string, at: number, depth: number): InlineMatch | undefined {
  const marker = text[at]!
  const isOpening = (at === 0 || BEFORE.test(text[at - 1]!)) && /\S/.test(text[at + 1] ?? ' ')
  if (!isOpening || depth >= MAX_DEPTH) return undefined
  const last = Math.min(text.length, at + MAX_EMPHASIS)
  for (let end = text.indexOf(marker, at + 2); end > 0 && end < last; end = text.indexOf(marker, end + 1)) {
    const isClosing = /\S/.test(text[end - 1]!) && (end + 1 === text.length || AFTER.test(text[end + 1]!))
    if (!isClosing) continue
    const inner = text.slice(at + 1, end)
    const tag = TAGS[marker]!
    const html = tag === 'code' ? escapeHtml(inner) : orgInline(inner, depth + 1)
    return { html: `<${tag}>${html}</${tag}>`, end: end + 1 }
  }
  return undefined
}

function scriptAt(text: string, at: number, tag: string): InlineMatch | undefined {
  if (text[at + 1] !== '{' || at === 0 || /\s/.test(text[at - 1]!)) return undefined
  const match = /^\{([^{}\n]{1,100})\}/.exec(text.slice(at + 1, at + 104))
  return match
    ? { html: `<${tag}>${escapeHtml(match[1]!)}</${tag}>`, end: at + 1 + match[0].length }
    : undefined
}

function linkAt(text: string, at: number, depth: number): InlineMatch | undefined {
  if (text[at + 1] !== '[') return undefined
  const match = /^\[\[([^[\]\n]+)\](?:\[([^[\]]+)\])?\]/.exec(text.slice(at, at + MAX_LINK))
  if (!match) return undefined
  const [matchedText, target, label] = match
  const href = addressOf(target!.trim())
  const end = at + matchedText.length
  if (label === undefined && isPicture(href)) return { html: openTag('img', { src: href, alt: target }), end }
  if (label !== undefined && isPicture(label) && /^(file:|https?:|\.|\/)/.test(label)) {
    const picture = openTag('img', { src: addressOf(label), alt: '' })
    return { html: `${openTag('a', { href })}${picture}</a>`, end }
  }
  const html =
    label === undefined ? escapeHtml(target!.replace(/^(file:|\*|#)/, '')) : orgInline(label, depth + 1)
  return { html: `${openTag('a', { href })}${html}</a>`, end }
}

/** `file:` is a path, `*Heading` a heading of the page. */
function addressOf(target: string): string {
  if (target.startsWith('*')) return `#${encodeURIComponent(headingSlug(target.slice(1)).toWellFormed())}`
  return target.replace(/^file:(?!\/\/)/, '').replace(/::.*$/, '')
}

function footnoteAt(text: string, at: number): InlineMatch | undefined {
  const match = /^\[fn:([\w-]{1,60})\]/.exec(text.slice(at, at + 70))
  if (!match) return undefined
  const [matchedText, label] = match
  const href = `#fn-${label}`
  return {
    html: `<sup>${openTag('a', { href, id: `fnr-${label}` })}${label}</a></sup>`,
    end: at + matchedText.length,
  }
}

function angleLinkAt(text: string, at: number): InlineMatch | undefined {
  const match = /^<((?:https?:\/\/|mailto:)[^\s<>]+)>/.exec(text.slice(at, at + MAX_LINK))
  return match ? { html: anchor(match[1]!), end: at + match[0].length } : undefined
}

function bareLinkAt(text: string, at: number): InlineMatch | undefined {
  if (at > 0 && /[\w]/.test(text[at - 1]!)) return undefined
  const match = /^https?:\/\/[^\s<>[\]"|]+/.exec(text.slice(at, at + MAX_LINK))
  const address = match?.[0].replace(/[.,;:!?)'*_/~=+]{1,9}$/, (end) => (end.startsWith('/') ? '/' : ''))
  return address ? { html: anchor(address), end: at + address.length } : undefined
}

function anchor(href: string): string {
  return `${openTag('a', { href })}${escapeHtml(href)}</a>`
}
