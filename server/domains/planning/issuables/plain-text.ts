const FENCE = /^[ \t>]*(`{3,}|~{3,})/
const COMMENT = /<!--[\s\S]*?(?:-->|$(?![\s\S]))/g

/** Only this many characters of a text are read. */
const MAX = 200_000

/**
 * Replaces code and comments in a Markdown text by spaces, since references do not count there. Offsets stay the same.
 */
export function withoutCode(text: string): string {
  const plain = withoutBlocks(text.slice(0, MAX))
  return withoutInline(plain.replace(COMMENT, (found) => found.replace(/[^\n]/g, ' ')))
}

/** Replaces code blocks. An unclosed block reaches to the end of the text. */
function withoutBlocks(text: string): string {
  if (!text.includes('```') && !text.includes('~~~')) return text
  let fence: string | undefined
  const lines = text.split('\n').map((line) => {
    const mark = FENCE.exec(line)?.[1]
    const isInside = fence !== undefined
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined
    return isInside || mark !== undefined ? ' '.repeat(line.length) : line
  })
  return lines.join('\n')
}

/** Replaces inline code, between two equally long runs of backticks. */
function withoutInline(text: string): string {
  if (!text.includes('`')) return text
  return text
    .split('\n')
    .map((line) => {
      const runs = [...line.matchAll(/`+/g)]
      const last = new Map(runs.map((run, index) => [run[0].length, index]))
      let [result, position] = ['', 0]
      for (let index = 0; index < runs.length; index++) {
        const size = runs[index]![0].length
        if (last.get(size)! <= index) continue
        let end = index + 1
        while (runs[end]![0].length !== size) end++
        const until = runs[end]!.index + size
        result += line.slice(position, runs[index]!.index) + ' '.repeat(until - runs[index]!.index)
        position = until
        index = end
      }
      return result + line.slice(position)
    })
    .join('\n')
}
