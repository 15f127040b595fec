const FENCE = /^[ \t>]*(`{3,}|~{3,})/
const COMMENT = /<!--[\s\S]*?(?:-->|$(?![\s\S]))/g

/** Longer texts are read up to here. */
const MAX = 200_000

/** A Markdown text without code and comments, where names and numbers mean nothing; everything stays in its place. */
export function withoutCode(text: string): string {
  const plain = withoutBlocks(text.slice(0, MAX))
  return withoutInline(plain.replace(COMMENT, (found) => found.replace(/[^\n]/g, ' ')))
}

/** Blocks of code stand between two fences, or reach to the end. */
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

/** Code inside a line stands between two equally long runs of backticks. */
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
