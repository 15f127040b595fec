const TAB = 4
const PLAIN = /^[\x20-\x7e]*$/

/** True when every character takes exactly one column, so that widths need no measuring. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text)
}

/** The number of columns of a line in a fixed-width font: tabs go to the next multiple of four, wide characters take two. */
export function columns(text: string): number {
  if (isPlain(text)) return text.length
  let width = 0
  for (const char of text) {
    if (char === '\t') width += TAB - (width % TAB)
    else width += isWide(char) ? 2 : 1
  }
  return width
}

function isWide(char: string): boolean {
  const code = char.codePointAt(0) ?? 0
  if (code < 0x1100) return false
  return (
    /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(
      char,
    ) || code >= 0x1f300
  )
}

/** Longer lines are cut when shown; the rest is counted in words. */
export const MAX_SHOWN_CHARS = 5000

/** The shown part of a line, and the number of omitted characters. */
export function shown(text: string): { text: string; left: number } {
  if (text.length <= MAX_SHOWN_CHARS) return { text, left: 0 }
  return { text: text.slice(0, MAX_SHOWN_CHARS), left: text.length - MAX_SHOWN_CHARS }
}
