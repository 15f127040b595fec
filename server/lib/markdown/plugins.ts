import { createHash } from 'node:crypto'

import type MarkdownIt from 'markdown-it'
import characters from 'markdown-it-emoji/lib/data/full.mjs'
import footnotePlugin from 'markdown-it-footnote'

type Renderer = InstanceType<typeof MarkdownIt>

/** `[ ]` and `[x]` at the start of a list item become checkboxes. */
export function taskLists(md: Renderer): void {
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

/** Headings get IDs for links: `#usage` for "Usage", `#usage-1` for a second one. */
export function headingAnchors(md: Renderer): void {
  md.core.ruler.push('heading_anchors', (state) => {
    const counts = new Map<string, number>()
    for (const [index, token] of state.tokens.entries()) {
      if (token.type !== 'heading_open') continue
      const parts =
        state.tokens[index + 1]?.children?.filter(
          (child) => child.type === 'text' || child.type === 'code_inline' || child.type === 'reference',
        ) ?? []
      const slug = parts
        .map((child) => child.content)
        .join('')
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/\s+/g, '-')
      const count = counts.get(slug) ?? 0
      counts.set(slug, count + 1)
      if (slug) token.attrSet('id', `user-content-${count === 0 ? slug : `${slug}-${count}`}`)
    }
  })
}

/** Fenced code keeps its language as `lang`, for syntax highlighting. */
export function fences(md: Renderer): void {
  md.renderer.rules.fence = (tokens, index) => {
    const { content, info } = tokens[index]!
    const language = info.trim().split(/\s+/)[0] ?? ''
    const lang = language ? ` lang="${md.utils.escapeHtml(language)}"` : ''
    return `<pre class="code"${lang}><code>${md.utils.escapeHtml(content)}</code></pre>\n`
  }
}

const EMOJI = /(?<![\p{L}\p{N}:]):([a-z0-9_+-]{1,60}):(?![\p{L}\p{N}:])/gu

/** Names of emoji between colons become the emoji; not in code, and not in addresses. */
export function emoji(md: Renderer): void {
  md.core.ruler.after('linkify', 'emoji', (state) => {
    for (const token of state.tokens) {
      let isAddress = false
      for (const child of token.children ?? []) {
        if (child.type === 'link_open') isAddress = child.info === 'auto'
        if (child.type === 'link_close') isAddress = false
        if (child.type !== 'text' || isAddress || !child.content.includes(':')) continue
        child.content = child.content.replace(EMOJI, (text, name: string) =>
          Object.hasOwn(characters, name) ? characters[name]! : text,
        )
      }
    }
  })
}

type Token = ReturnType<Renderer['parse']>[number]

const footnoteNumber = (token: Token) => Number(token.meta?.['id']) + 1

/** `[^1]` refers to a footnote at the end. Footnotes of different texts on one page get different IDs. */
export function footnotes(md: Renderer): void {
  md.use(footnotePlugin)
  md.core.ruler.push('footnote_addresses', (state) => {
    if (!state.tokens.some((token) => token.type === 'footnote_block_open')) return
    const text = createHash('sha256').update(state.src).digest('hex').slice(0, 8)
    for (const token of state.tokens.flatMap((entry) => [entry, ...(entry.children ?? [])]))
      if (token.type.startsWith('footnote_') && token.meta) token.meta['text'] = text
  })
  md.renderer.rules['footnote_anchor_name'] = (tokens, index) =>
    `-${String(tokens[index]!.meta?.['text'])}-${footnoteNumber(tokens[index]!)}`
  md.renderer.rules['footnote_caption'] = (tokens, index) => String(footnoteNumber(tokens[index]!))
}

/** A formula between dollars that begins at `start`, with the position after it. */
function formulaAt(
  text: string,
  start: number,
  limit: number,
): { formula: string; end: number; display: boolean } | undefined {
  const rest = text.slice(start, Math.min(start + MAX_FORMULA, limit))
  const code = /^\$`([^`\n]+)`\$/.exec(rest)
  if (code) return { formula: code[1]!, end: start + code[0].length, display: false }
  const block = /^\$\$([^$]+?)\$\$/.exec(rest)
  if (block) return { formula: block[1]!.trim(), end: start + block[0].length, display: true }
  // `$5 and $6` is money: a formula neither begins nor ends with a blank, and no letter or digit follows it.
  const inline = /^\$(?![\s$])((?:\\.|[^$\\\n])+?)(?<!\s)\$(?!\w)/.exec(rest)
  return inline ? { formula: inline[1]!, end: start + inline[0].length, display: false } : undefined
}

/** The maximum length of a formula in characters. Longer ones stay plain text. */
const MAX_FORMULA = 2000

/** `` $`x`$ ``, `$x$` and `$$x$$` become elements that the window draws as formulas. */
export function formulas(md: Renderer): void {
  md.inline.ruler.before('escape', 'formula', (state, silent) => {
    if (state.src[state.pos] !== '$') return false
    const formula = formulaAt(state.src, state.pos, state.posMax)
    if (!formula) return false
    if (!silent) {
      const token = state.push('formula', 'code', 0)
      token.content = formula.formula
      token.markup = formula.display ? 'display' : 'inline'
    }
    state.pos = formula.end
    return true
  })
  md.renderer.rules['formula'] = (tokens, index) => {
    const { content, markup } = tokens[index]!
    return `<code class="code math js-render-math" data-math-style="${markup}">${md.utils.escapeHtml(content)}</code>`
  }
}
