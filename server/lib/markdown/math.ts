import type MarkdownIt from 'markdown-it'

type Renderer = InstanceType<typeof MarkdownIt>

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
