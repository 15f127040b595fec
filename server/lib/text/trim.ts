/**
 * Removes these characters at the end of a text, in one pass. A pattern such as `/\n+$/` is quadratic, which takes
 * minutes for a hostile megabyte.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** Removes these characters at both ends of a text. */
export function withoutEnds(text: string, characters: string): string {
  let start = 0
  while (start < text.length && characters.includes(text[start]!)) start++
  return withoutEnd(text.slice(start), characters)
}
