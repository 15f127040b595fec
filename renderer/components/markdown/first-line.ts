const COMMENT = /<!--.*?(?:-->|$)/gs
/** Lines that show nothing by themselves: a fence of code, a rule, the line under a heading or a table's head. */
const SILENT = /^\s*(?:`{3,}.*|~{3,}.*|[-=_*\s]+|[|:\-\s]+)$/
/** The signs of quotes, headings, lists and task boxes at the start of a line. */
const START = /^(?:\s|>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s))+/
const CODE = /`+([^`]+)`+/g
const IMAGE = /!\[([^\]]*)\]\([^)]*\)(?:\{[^}]*\})?/g
const LINK = /\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])/g
const ADDRESS = /<(https?:[^>\s]+)>/g
const TAG = /<\/?[a-z][^<>]*>/gi
/** Emphasis around words. An underscore or asterisk inside a word is part of it. */
const EMPHASIS = /(?<![\w*_~\\])(\*{1,3}|_{1,3}|~~)(?=\S)(.+?)(?<=\S)\1(?![\w*_~])/g

/** More is never visible in one line, and the patterns take long for long lines. */
const MAX_LENGTH = 500

/** Removes the signs of Markdown from one line, except inside code. */
const plain = (line: string): string =>
  line
    .slice(0, MAX_LENGTH)
    .replace(START, '')
    .split(/(`+[^`]+`+)/)
    .map((part) => (part.startsWith('`') ? part.replace(CODE, '$1') : withoutSigns(part)))
    .join('')
    .replaceAll(/\s+/g, ' ')
    .trim()

const withoutSigns = (part: string): string =>
  part
    .replace(IMAGE, '$1')
    .replace(LINK, '$1')
    .replace(ADDRESS, '$1')
    .replace(TAG, '')
    .replace(EMPHASIS, '$2')
    .replace(EMPHASIS, '$2')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')

/** The first line of a Markdown text that shows something, as plain text; empty if there is none. */
export const firstLine = (markdown: string): string => {
  for (const line of markdown.replace(COMMENT, '').split('\n')) {
    if (SILENT.test(line)) continue
    const text = plain(line)
    if (text !== '') return text
  }
  return ''
}
