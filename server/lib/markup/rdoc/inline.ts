import { escapeHtml, isPicture, openTag } from '../html.ts'

/** The maximum length of emphasis and labels, which limits the search for their end. */
const MAX_LENGTH = 500
const MAX_ADDRESS = 2000
const MAX_DEPTH = 6

const WORD_TAGS: Readonly<Record<string, string>> = { '*': 'strong', _: 'em', '+': 'code' }
const TAGS: Readonly<Record<string, string>> = {
  b: 'strong',
  em: 'em',
  i: 'em',
  tt: 'code',
  code: 'code',
  del: 'del',
  s: 'del',
}
/** Characters that may begin markup. */
const SPECIAL = /[*_+<{\\]|https?:|mailto:|ftp:|link:|rdoc-image:|www\.|\b[\w.-]{1,40}\[/g

interface InlineMatch {
  readonly html: string
  /** Index after the markup. */
  readonly end: number
}

/** The text of a line or paragraph as HTML: emphasis, code, links. */
export function rdocInline(text: string, depth = 0): string {
  let html = ''
  let from = 0
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
  const first = text[at]!
  if (first === '\\') return escapedAt(text, at)
  if (first === '<') return tagAt(text, at, depth)
  if (first === '{') return labelAt(text, at, depth)
  if (first in WORD_TAGS) return wordAt(text, at) ?? wordLinkAt(text, at)
  return addressAt(text, at) ?? wordLinkAt(text, at)
}

/** A backslash escapes the following character. */
function escapedAt(text: string, at: number): InlineMatch | undefined {
  const match = /^\\([*_+<{]|https?:|link:|mailto:)/.exec(text.slice(at, at + 10))
  return match ? { html: escapeHtml(match[1]!), end: at + match[0].length } : undefined
}

/** `*bold*`, `_emphasis_` and `+code+` of one word. */
function wordAt(text: string, at: number): InlineMatch | undefined {
  if (at > 0 && /\w/.test(text[at - 1]!)) return undefined
  const marker = text[at]!
  const match = /^.([\w.:#/?!'&@$%-]{1,200}?)([*_+])(?!\w)/.exec(text.slice(at, at + 210))
  if (match?.[2] !== marker) return undefined
  const tag = WORD_TAGS[marker]!
  return { html: `<${tag}>${escapeHtml(match[1]!)}</${tag}>`, end: at + match[0].length }
}

function tagAt(text: string, at: number, depth: number): InlineMatch | undefined {
  const match = /^<(b|em|i|tt|code|del|s)>/i.exec(text.slice(at, at + 6))
  if (!match) return /^<br>/i.test(text.slice(at, at + 4)) ? { html: '<br>', end: at + 4 } : undefined
  const close = `</${match[1]!.toLowerCase()}>`
  const start = at + match[0].length
  const content = text.slice(start, start + MAX_LENGTH)
  const length = content.toLowerCase().indexOf(close)
  if (length < 0) return undefined
  const inner = content.slice(0, length)
  const tag = TAGS[match[1]!.toLowerCase()]!
  const html = tag === 'code' || depth >= MAX_DEPTH ? escapeHtml(inner) : rdocInline(inner, depth + 1)
  return { html: `<${tag}>${html}</${tag}>`, end: start + length + close.length }
}

/** A link `{some words}[address]`. */
function labelAt(text: string, at: number, depth: number): InlineMatch | undefined {
  const match = /^\{([^{}]+)\}\[([^\]\s]+)\]/.exec(text.slice(at, at + MAX_LENGTH + MAX_ADDRESS))
  if (!match || match[1]!.length > MAX_LENGTH || depth >= MAX_DEPTH) return undefined
  return { html: linkHtml(rdocInline(match[1]!, depth + 1), match[2]!), end: at + match[0].length }
}

/** A link `word[address]`. */
function wordLinkAt(text: string, at: number): InlineMatch | undefined {
  if (at > 0 && /[\w.-]/.test(text[at - 1]!)) return undefined
  const match = /^([\w.-]{1,40})\[([^\]\s]+)\]/.exec(text.slice(at, at + 40 + MAX_ADDRESS))
  if (!match || !/^(https?:|ftp:|mailto:|link:|www\.|#|\.{0,2}\/|[\w-]+\.\w)/.test(match[2]!))
    return undefined
  return { html: linkHtml(escapeHtml(match[1]!), match[2]!), end: at + match[0].length }
}

function addressAt(text: string, at: number): InlineMatch | undefined {
  if (at > 0 && /[\w/.]/.test(text[at - 1]!)) return undefined
  const match = /^(https?:|mailto:|ftp:|link:|rdoc-image:|www\.)[^\s<>"]+/.exec(
    text.slice(at, at + MAX_ADDRESS),
  )
  const address = match?.[0].replace(/[.,;:!?)'*_+]{1,9}$/, '')
  if (!address || /^\w+:$/.test(address)) return undefined
  const end = at + address.length
  if (address.startsWith('rdoc-image:'))
    return { html: openTag('img', { src: address.slice(11), alt: '' }), end }
  const isWebPicture = /^https?:/.test(address) && isPicture(address)
  if (isWebPicture) return { html: openTag('img', { src: address, alt: '' }), end }
  return { html: linkHtml(escapeHtml(address.replace(/^(link|mailto):/, '')), address), end }
}

function linkHtml(label: string, address: string): string {
  const href = address.startsWith('www.') ? `http://${address}` : address.replace(/^link:/, '')
  return `${openTag('a', { href: href.replace(/^rdoc-label:/, '#') })}${label}</a>`
}
