import type { IssuableName } from './issuable.ts'

const FENCE = /^[ \t>]*(`{3,}|~{3,})/
const COMMENT = /<!--[\s\S]*?(?:-->|$(?![\s\S]))/g

/** The maximum number of characters of a text that are searched. */
const MAX_TEXT = 200_000

/**
 * Replaces code and comments in a Markdown text by spaces, since references do not count there. Offsets stay the same.
 */
export function withoutCode(text: string): string {
  const plain = withoutBlocks(text.slice(0, MAX_TEXT))
  return withoutInline(plain.replace(COMMENT, (comment) => comment.replace(/[^\n]/g, ' ')))
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

/** A reference to an issue or merge request in a text. `path` is undefined if the text names no project. */
export interface TextReference {
  readonly kind: IssuableName
  readonly path: string | undefined
  readonly iid: number
}

const PATH = String.raw`[A-Za-z0-9_][\w.-]*(?:\/[A-Za-z0-9_.][\w.-]*)*`
const SHORT = String.raw`(?<![\w&/.#!-])(?<path>${PATH})?(?<mark>[#!])(?<iid>[1-9]\d{0,9})(?![\w/])`
const ADDRESS = String.raw`https?:\/\/[^\s\/]+\/(?<urlPath>${PATH}?)\/-\/(?<urlKind>issues|merge_requests)\/(?<urlIid>[1-9]\d{0,9})(?!\w)`
const REFERENCE = new RegExp(`${ADDRESS}|${SHORT}`, 'g')

/** The maximum number of references of one text. */
const MAX_REFERENCES = 100

/**
 * Returns the issues and merge requests that a text names, outside of code: `#1`, `!2`, `group/project#3`, `project!4`,
 * and URLs of this instance. `base` is the URL of the instance; other URLs are ignored.
 */
export function referencesIn(text: string, base?: string): TextReference[] {
  if (!/[#!]\d|\/-\//.test(text)) return []
  return collect(withoutCode(text), base)
}

function collect(plain: string, base: string | undefined): TextReference[] {
  const references = new Map<string, TextReference>()
  for (const { groups, 0: match } of plain.matchAll(REFERENCE)) {
    const reference = groups && referenceOf(groups, match, base)
    if (!reference) continue
    references.set(`${reference.path ?? ''}${reference.kind}${reference.iid}`, reference)
    if (references.size >= MAX_REFERENCES) break
  }
  return [...references.values()]
}

function referenceOf(
  groups: Readonly<Record<string, string | undefined>>,
  match: string,
  base: string | undefined,
): TextReference | undefined {
  const { path, mark, iid, urlPath, urlKind, urlIid } = groups
  if (mark !== undefined) return { kind: mark === '#' ? 'Issue' : 'MergeRequest', path, iid: Number(iid) }
  if (base !== undefined && !match.startsWith(`${base}/`)) return undefined
  // A URL may have the instance's own path before the project path.
  const projectPath = base === undefined ? urlPath! : match.slice(base.length + 1, match.indexOf('/-/'))
  return { kind: urlKind === 'issues' ? 'Issue' : 'MergeRequest', path: projectPath, iid: Number(urlIid) }
}

const VERBS = String.raw`(?:[Cc]los(?:e[sd]?|ing)|[Ff]ix(?:e[sd]|ing)?|[Rr]esolv(?:e[sd]?|ing)|[Ii]mplement(?:s|ed|ing)?)`
const ISSUE = String.raw`(?:(?:${PATH})?#\d+|https?:\/\/[^\s\/]+\/${PATH}?\/-\/issues\/\d+)`
const CLOSING = new RegExp(
  String.raw`\b${VERBS}:? +(?:(?:[Ii]ssues? +)?${ISSUE}(?:(?: {0,9},? {1,9}and {1,9}| {0,9},? {0,9})(?=(?:[Ii]ssues? +)?${ISSUE}))?)+`,
  'g',
)

/**
 * Returns the issues that a text closes: `Closes #4, #6 and group/project#8`, `Fix: https://…/-/issues/1`, with all
 * forms of close, fix, resolve and implement.
 */
export function closingReferences(text: string, base?: string): TextReference[] {
  if (!/#\d|\/issues\//.test(text)) return []
  const sentences = [...withoutCode(text).matchAll(CLOSING)].map((match) => match[0])
  return collect(sentences.join('\n'), base).filter((reference) => reference.kind === 'Issue')
}

/**
 * Adds the path of a project to all references without a path, outside of code. So the text keeps its meaning when it
 * moves to another project.
 */
export function withPaths(text: string, path: string): string {
  if (!/[#!]\d/.test(text)) return text
  let [result, position] = ['', 0]
  for (const { groups, index } of withoutCode(text).matchAll(REFERENCE)) {
    if (groups?.['mark'] === undefined || groups['path'] !== undefined) continue
    result += text.slice(position, index) + path
    position = index
  }
  return result + text.slice(position)
}
