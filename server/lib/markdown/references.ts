import type MarkdownIt from 'markdown-it'

import { referencesIn, type Reference } from '../text/references.ts'

type Renderer = InstanceType<typeof MarkdownIt>
type Token = ReturnType<Renderer['parse']>[number]

/** A part of a text that may become a link: a possible reference, or a bare address. */
export interface Mark {
  readonly reference?: Reference
  /** The reference as it is in the text. */
  readonly source?: string
  /** A bare address, which may be one of this instance. */
  readonly address?: string
  /** At the start of a line, alone or after other references. */
  readonly leading: boolean
  /** In a quotation. */
  readonly quote: boolean
}

/** The target of a reference. */
export interface ReferenceLink {
  readonly href: string
  readonly title: string
  /** The kind, for the class of the link: `issue`, `merge_request`, `project_member`, … */
  readonly kind: string
  /** The text of the link. */
  readonly text: string
  /** Color of a label. */
  readonly color?: string | undefined
}

/** Finds the references in a text. */
export type FindReferences = (text: string) => readonly Reference[]

/** Follows the tokens of a text to know which are inside of links and code, where references stay text. */
class LinkAndCodeFilter {
  #links = 0
  #html = 0

  /** True when the token may contain references. It must be called for every token in turn. */
  passes(token: Token): boolean {
    if (token.type === 'link_open') this.#links++
    if (token.type === 'link_close') this.#links--
    if (token.type === 'html_inline') {
      if (/^<(a|code|pre|kbd|samp)[\s>]/i.test(token.content)) this.#html++
      if (/^<\/(a|code|pre|kbd|samp)\s*>/i.test(token.content)) this.#html = Math.max(0, this.#html - 1)
    }
    return token.type === 'text' && this.#links === 0 && this.#html === 0
  }
}

function isBareAddress(token: Token): boolean {
  return token.type === 'link_open' && (token.markup === 'linkify' || token.markup === 'autolink')
}

/** Splits the text tokens of a paragraph into text and possible references. */
function split(
  children: readonly Token[],
  quote: boolean,
  createToken: (type: string) => Token,
  find: FindReferences,
): Token[] {
  const filter = new LinkAndCodeFilter()
  const result: Token[] = []
  let leading = true
  for (const token of children) {
    const isText = filter.passes(token)
    if (isBareAddress(token))
      token.meta = { address: String(token.attrGet('href') ?? ''), leading, quote } satisfies Mark
    if (!isText) {
      result.push(token)
      leading = token.type === 'softbreak' || token.type === 'hardbreak' || (leading && token.content === '')
      continue
    }
    let from = 0
    const addText = (until: number): void => {
      if (until === from) return
      const textToken = createToken('text')
      textToken.content = token.content.slice(from, until)
      if (textToken.content.trim() !== '') leading = false
      result.push(textToken)
    }
    for (const reference of find(token.content)) {
      addText(reference.start)
      const mark = createToken('reference')
      mark.content = token.content.slice(reference.start, reference.end)
      mark.meta = { reference, source: mark.content, leading, quote } satisfies Mark
      result.push(mark)
      leading &&= reference.kind === 'user'
      from = reference.end
    }
    addText(token.content.length)
  }
  return result
}

/** Finds references outside of code and links. Until they get links, they are shown as text. */
export function references(md: Renderer): void {
  // Runs before escapes become text, so that `\#1` stays unchanged.
  md.core.ruler.before('text_join', 'references', (state) => {
    let quotes = 0
    const find = (state.env as { find?: FindReferences }).find ?? referencesIn
    for (const token of state.tokens) {
      if (token.type === 'blockquote_open') quotes++
      if (token.type === 'blockquote_close') quotes--
      if (token.type !== 'inline' || !token.children) continue
      token.children = split(token.children, quotes > 0, (type) => new state.Token(type, '', 0), find)
    }
  })
  md.renderer.rules['reference'] = (tokens, index, _options, _env, self) => {
    const token = tokens[index]!
    const text = md.utils.escapeHtml(token.content)
    return token.attrs ? `<a${self.renderAttrs(token)}>${text}</a>` : text
  }
}

/** All marks of a parsed text in order, each with a function that makes it a link. */
export function marksOf(tokens: readonly Token[]): { mark: Mark; apply: (link: ReferenceLink) => void }[] {
  return tokens.flatMap((inline) =>
    (inline.children ?? []).flatMap((token, index, siblings) => {
      const mark = token.meta as Mark | null
      if (!mark || (token.type !== 'reference' && !isBareAddress(token))) return []
      return [{ mark, apply: (link: ReferenceLink) => apply(link, token, siblings[index + 1]) }]
    }),
  )
}

function apply(link: ReferenceLink, token: Token, next: Token | undefined): void {
  if (token.type === 'link_open') {
    token.attrSet('title', link.title)
    token.attrSet('class', classOf(link))
    if (next?.type === 'text') next.content = link.text
    return
  }
  token.attrs = [
    ['href', link.href],
    ['class', classOf(link)],
    ['title', link.title],
    ...(link.color ? [['data-label-color', link.color] as [string, string]] : []),
  ]
  token.content = link.text
}

function classOf(link: ReferenceLink): string {
  return `gfm gfm-${link.kind}`
}
