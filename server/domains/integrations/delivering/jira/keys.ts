import { RE2JS } from 're2js'

import { linearPattern, searchable } from '../../../../lib/linear-pattern.ts'
import { type Delivery, textOf } from '../delivery.ts'

const KEY = String.raw`\b[A-Z][A-Z0-9_]+-\d+\b`
/** More keys in one text are not looked at. */
const MOST_KEYS = 20
/** A word that ends an issue, and perhaps other keys, right before a key. */
const ENDS =
  /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?)(?:\s+issues?)?:?\s+(?:[\w-]+(?:\s*,\s*(?:and\s+)?|\s+and\s+)){0,10}$/i
const MOST_BEFORE = 200

/** The issues that a text names, each once; true for those that it says are done. */
export function issuesIn(delivery: Delivery, text: string): Map<string, boolean> {
  const issues = new Map<string, boolean>()
  const pattern = patternOf(delivery)
  const matcher = pattern.matcher(searchable(pattern, text))
  while (issues.size < MOST_KEYS && matcher.find()) {
    const [start, key] = [
      matcher.start(),
      keyIn(matcher.group() ?? '', textOf(delivery, 'jira_issue_prefix')),
    ]
    if (key === '') continue
    const isDone = ENDS.test(text.slice(Math.max(0, start - MOST_BEFORE), start))
    issues.set(key, (issues.get(key) ?? false) || isDone)
  }
  return issues
}

/** As people set it up; the linear-time engine, because they may write anything. */
function patternOf(delivery: Delivery): RE2JS {
  const own = textOf(delivery, 'jira_issue_regex')
  const prefix = RE2JS.quote(textOf(delivery, 'jira_issue_prefix'))
  try {
    return linearPattern(prefix + (own || KEY))
  } catch {
    return RE2JS.compile(KEY)
  }
}

function keyIn(found: string, prefix: string): string {
  const key = prefix !== '' && found.startsWith(prefix) ? found.slice(prefix.length) : found
  return /^[\w-]{1,100}$/.test(key) ? key : ''
}
