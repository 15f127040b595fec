/** A change of lines as a text offers it. */
export interface OfferedChange {
  readonly lines_above: number
  readonly lines_below: number
  /** What the lines become, with its line end; empty where they go. */
  readonly to_content: string
}

/** Lines on one side of the commented one that a change can take in. */
const MAX_AROUND = 100
/** Changes that one text can offer. */
const MAX_OFFERED = 50

const OPENING = /^ {0,3}(`{3,}|~{3,})suggestion(?::-(\d{1,6})\+(\d{1,6}))?[ \t]*$/
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/** The blocks of a Markdown text that say ```` ```suggestion:-0+1 ````, in their order. */
export function parseSuggestions(text: string): OfferedChange[] {
  const lines = text.split(/\r?\n/)
  const offered: OfferedChange[] = []
  for (let at = 0; at < lines.length && offered.length < MAX_OFFERED; at++) {
    const [, fence] = FENCE.exec(lines[at]!) ?? []
    if (!fence) continue
    const end = closingOf(lines, at, fence)
    const [, , above = '0', below = '0'] = OPENING.exec(lines[at]!) ?? []
    if (OPENING.test(lines[at]!)) {
      const content = lines.slice(at + 1, end)
      offered.push({
        lines_above: Math.min(Number(above), MAX_AROUND),
        lines_below: Math.min(Number(below), MAX_AROUND),
        to_content: content.map((line) => `${line}\n`).join(''),
      })
    }
    at = end
  }
  return offered
}

/** The line that ends a block; the number of lines where nobody closed it. */
function closingOf(lines: readonly string[], at: number, fence: string): number {
  const closing = new RegExp(`^ {0,3}${fence[0]!}{${fence.length},}[ \\t]*$`)
  for (let index = at + 1; index < lines.length; index++) if (closing.test(lines[index]!)) return index
  return lines.length
}
