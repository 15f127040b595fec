/** The maximum length of the block. A longer block is part of the text. */
const MAX_LENGTH = 64 * 1024

/**
 * Removes the YAML block between two lines of `---` at the start of a text. A horizontal rule (`---`) that no YAML key
 * follows stays.
 */
export function withoutFrontMatter(text: string): string {
  const start = /^\uFEFF?---[ \t]*\r?\n/.exec(text)
  if (!start) return text
  const block = text.slice(start[0].length, start[0].length + MAX_LENGTH)
  const end = /^(---|\.\.\.)[ \t]*(\r?\n|$)/m.exec(block)
  if (!end) return text
  const lines = block.slice(0, end.index).split(/\r?\n/)
  const first = lines.find((line) => line.trim() !== '' && !line.startsWith('#'))
  if (first !== undefined && !/^["']?\w[\w .-]{0,99}["']?\s*:(\s|$)/.test(first)) return text
  return text.slice(start[0].length + end.index + end[0].length)
}
