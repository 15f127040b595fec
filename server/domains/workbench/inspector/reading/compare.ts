import type { RequestView } from './views.ts'

/** One difference of two requests. A side without a value is null. */
export interface Difference {
  readonly part: 'request' | 'answer' | 'headers' | 'body' | 'work' | 'time'
  readonly name: string
  readonly left: string | null
  readonly right: string | null
}

const MAX_DIFFERENCES = 500
const MAX_TEXT = 2000
/** Headers that differ between any two answers. */
const ALWAYS_DIFFERENT = /^(date|x-request-id|x-runtime|x-gitlab-meta|x-service-meta|ratelimit-.*|age)$/

/** Returns the differences between two requests and their answers. Times are listed, although they always differ. */
export function differencesOf(left: RequestView, right: RequestView): Difference[] {
  const differences: Difference[] = []
  const add = (part: Difference['part'], name: string, a: unknown, b: unknown): void => {
    const [textA, textB] = [textOf(a), textOf(b)]
    if (textA !== textB && differences.length < MAX_DIFFERENCES)
      differences.push({
        part,
        name,
        left: textA?.slice(0, MAX_TEXT) ?? null,
        right: textB?.slice(0, MAX_TEXT) ?? null,
      })
  }
  for (const name of ['method', 'target', 'route', 'credential', 'client'] as const)
    add('request', name, left[name], right[name])
  add('request', 'actor', left.actor?.username, right.actor?.username)
  eachName(left.request_headers, right.request_headers, (name, a, b) => add('request', name, a, b))
  compareBodies(left.request_body.text, right.request_body.text, (name, a, b) => add('request', name, a, b))
  add('answer', 'status', left.status, right.status)
  eachName(left.answer_headers, right.answer_headers, (name, a, b) => {
    if (!ALWAYS_DIFFERENT.test(name)) add('headers', name, a, b)
  })
  compareBodies(left.answer_body.text, right.answer_body.text, (name, a, b) => add('body', name, a, b))
  for (const name of ['statement_count', 'git_count', 'event_count', 'job_count', 'is_cached'] as const)
    add('work', name, left[name], right[name])
  for (const name of ['duration_ms', 'statement_ms', 'git_ms'] as const)
    add('time', name, left[name], right[name])
  return differences
}

type ReportDifference = (name: string, left: unknown, right: unknown) => void

function eachName(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  report: ReportDifference,
): void {
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
    report(name, left[name], right[name])
}

function compareBodies(left: string | null, right: string | null, report: ReportDifference): void {
  if (left === right) return
  const [a, b] = [parsed(left), parsed(right)]
  if (a === undefined || b === undefined) report('$', left, right)
  else walk('$', a, b, { report, depth: 0 })
}

function walk(
  path: string,
  a: unknown,
  b: unknown,
  { report, depth }: { report: ReportDifference; depth: number },
): void {
  if (depth > 20 || !isTree(a) || !isTree(b) || Array.isArray(a) !== Array.isArray(b))
    return report(path, a, b)
  eachName(a, b, (name, first, second) =>
    walk(Array.isArray(a) ? `${path}[${name}]` : `${path}.${name}`, first, second, {
      report,
      depth: depth + 1,
    }),
  )
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function parsed(text: string | null): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}
