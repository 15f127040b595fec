import { createHash } from 'node:crypto'

import type MarkdownIt from 'markdown-it'
import plugin from 'markdown-it-footnote'

type Renderer = InstanceType<typeof MarkdownIt>
type Token = ReturnType<Renderer['parse']>[number]

const numberOf = (token: Token) => Number(token.meta?.['id']) + 1

/** `[^1]` refers to a footnote at the end. Footnotes of different texts on one page get different IDs. */
export function footnotes(md: Renderer): void {
  md.use(plugin)
  md.core.ruler.push('footnote_addresses', (state) => {
    if (!state.tokens.some((token) => token.type === 'footnote_block_open')) return
    const text = createHash('sha256').update(state.src).digest('hex').slice(0, 8)
    for (const token of state.tokens.flatMap((entry) => [entry, ...(entry.children ?? [])]))
      if (token.type.startsWith('footnote_') && token.meta) token.meta['text'] = text
  })
  md.renderer.rules['footnote_anchor_name'] = (tokens, index) =>
    `-${String(tokens[index]!.meta?.['text'])}-${numberOf(tokens[index]!)}`
  md.renderer.rules['footnote_caption'] = (tokens, index) => String(numberOf(tokens[index]!))
}
