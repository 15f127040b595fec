import { splitLines } from '../components/code/highlight-html.ts'
import { hljs } from './grammars.ts'
import { jsonLines } from './json-lines.ts'
import { MAX_GRAMMAR_CHARS } from './limits.ts'

export interface HighlightRequest {
  id: number
  text: string
  language: string
}

export interface HighlightAnswer {
  id: number
  /** One piece of HTML for each line, or null when the language is unknown or the grammar failed. */
  lines: string[] | null
}

self.addEventListener('message', (event: MessageEvent<HighlightRequest>) => {
  const { id, text, language } = event.data
  const answer: HighlightAnswer = { id, lines: colour(text, language) }
  self.postMessage(answer)
})

function colour(text: string, language: string): string[] | null {
  if (language === 'json' && text.length > MAX_GRAMMAR_CHARS) return jsonLines(text)
  if (!hljs.getLanguage(language)) return null
  try {
    return splitLines(tame(hljs.highlight(text, { language, ignoreIllegals: true }).value, language))
  } catch {
    return null
  }
}

/** The grammars of scripts take every name before a colon for an attribute, which would tint plain variables. */
function tame(html: string, language: string): string {
  const isScript = language === 'typescript' || language === 'javascript'
  return isScript ? html.replaceAll('<span class="hljs-attr">', '<span>') : html
}
