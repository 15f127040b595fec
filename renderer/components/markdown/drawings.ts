import { t } from '../../locales/t.ts'
/** Formulas as MathML, which browsers draw without fonts or styles of a library. */
export const drawFormulas = async (article: HTMLElement): Promise<void> => {
  const inline = [...article.querySelectorAll<HTMLElement>('code.math')]
  const blocks = [...article.querySelectorAll<HTMLElement>('pre[data-lang="math"]')]
  if (inline.length + blocks.length === 0) return
  const { default: katex } = await import('katex')
  for (const node of [...inline, ...blocks]) {
    const displayMode = node.tagName === 'PRE' || node.dataset.mathStyle === 'display'
    const formula = document.createElement(displayMode ? 'div' : 'span')
    try {
      katex.render(node.textContent ?? '', formula, { displayMode, output: 'mathml', maxExpand: 200 })
      node.replaceWith(formula)
    } catch (error) {
      node.title = error instanceof Error ? error.message : ''
    }
  }
}

/** Diagrams of fences named `mermaid`; drawn again when the theme changes. One that cannot be drawn stays text. */
export const drawDiagrams = async (article: HTMLElement, dark: boolean): Promise<void> => {
  const fences = [...article.querySelectorAll<HTMLElement>('pre[data-lang="mermaid"], .diagram')]
  if (fences.length === 0) return
  const { default: mermaid } = await import('mermaid')
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    theme: dark ? 'dark' : 'neutral',
    fontFamily: 'var(--font-ui)',
  })
  for (const fence of fences) {
    const source = fence.dataset.source ?? fence.textContent ?? ''
    try {
      const { svg } = await mermaid.render(`diagram-${crypto.getRandomValues(new Uint32Array(1))[0]}`, source)
      const figure = document.createElement('div')
      figure.className = 'diagram'
      figure.dataset.source = source
      figure.tabIndex = 0
      figure.innerHTML = svg
      figure.firstElementChild?.setAttribute('role', 'img')
      figure.firstElementChild?.setAttribute(
        'aria-label',
        t('markdown.diagram_source', { source: source.slice(0, 200) }),
      )
      if (fence.isConnected) fence.replaceWith(figure)
    } catch (error) {
      fence.title = error instanceof Error ? error.message : ''
    }
  }
}
