const LITERAL = /'((?:[^'\\\n]|\\[^])*)'|"((?:[^"\\\n]|\\[^])*)"|`((?:[^`\\]|\\[^])*)`/g
const VALUE = /\$\{(?:[^{}]|\{[^{}]*\})*\}/g

/** The texts in a source. Each value that a template inserts is a 7, and texts joined by a plus are one. */
export function literalsIn(source: string): string[] {
  const found: string[] = []
  let end = -1
  for (const match of source.matchAll(LITERAL)) {
    const [whole, single, double, template] = match
    const text = (single ?? double ?? template!.replaceAll(VALUE, '7'))
      .replaceAll(String.raw`\n`, '\n')
      .replaceAll(/\\(.)/g, '$1')
    if (end >= 0 && /^\s*\+\s*$/.test(source.slice(end, match.index))) found.push(found.pop()! + text)
    else found.push(text)
    end = match.index + whole.length
  }
  return found
}
