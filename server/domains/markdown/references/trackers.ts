import { RE2JS } from 're2js'

import { linearPattern, searchable } from '../../../lib/text/linear-pattern.ts'
import type { Reference } from '../../../lib/text/references.ts'

/** An external issue tracker. */
export interface Tracker {
  /** The name of the tracker. */
  readonly title: string
  /** The URL of an issue, with `:id` for its ID. */
  readonly issues_url: string
  /** Finds external issues in a text. */
  find(text: string): ExternalIssue[]
  /** Whether `#5` also means an external issue, because the project has no issues of its own. */
  readonly takesNumbers: boolean
}

/** A reference to an external issue in a text. */
export interface ExternalIssue {
  readonly start: number
  readonly end: number
  /** The value for `:id`. */
  readonly id: string
}

interface Pattern {
  readonly title: string
  readonly long: RegExp
  readonly short?: RegExp
}

/** `PREFIX-123` and `#123`. The number is the ID of the issue. */
const NUMBERED = { long: /\b[A-Z][A-Z0-9_]*-(\d{1,20})\b/g, short: /(?<![\w/&#])#(\d{1,20})\b/g }
const KEY = /\b([A-Za-z][A-Za-z0-9_]*-\d{1,20})\b/g

/** The reference formats of each tracker (spec administration 3.3, variant IT). Each pattern takes linear time. */
const PATTERNS: Readonly<Record<string, Pattern>> = {
  bugzilla: { title: 'Bugzilla', ...NUMBERED },
  clickup: {
    title: 'ClickUp',
    long: /\b(?:CU-([a-z0-9]{1,40})|([A-Z0-9_]{2,10}-\d{1,20}))\b/g,
    short: /(?<![\w/&#])#([a-z0-9]{1,40})\b/g,
  },
  'custom-issue-tracker': { title: 'Custom issue tracker', ...NUMBERED },
  ewm: { title: 'EWM', long: /\b(?:bug|task|work item|workitem|rtcwi|defect)\s{1,20}(\d{1,20})\b/gi },
  jira: { title: 'Jira', long: /\b([A-Z][A-Z0-9_]+-\d{1,20})\b/g },
  phorge: { title: 'Phorge', long: /\bT(\d{1,20})\b/g },
  redmine: { title: 'Redmine', ...NUMBERED },
  youtrack: { title: 'YouTrack', long: KEY, short: /(?<![\w/&#])#(\d{1,20})\b/g },
}

/** The settings of a tracker, which can be sent to another thread. */
export interface TrackerSettings {
  readonly slug: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly hasOwnIssues: boolean
}

/** The slugs of the integrations that are issue trackers. */
export const TRACKER_SLUGS: readonly string[] = Object.keys(PATTERNS)

/**
 * Returns the tracker of an integration. Undefined if its issues have no URL. If the project has issues of its own, only
 * the long form means an external issue.
 */
export function trackerFrom(
  slug: string,
  settings: Readonly<Record<string, unknown>>,
  hasOwnIssues: boolean,
): Tracker | undefined {
  const pattern = PATTERNS[slug]
  const url = slug === 'jira' ? jiraIssuesUrl(settings) : settings['issues_url']
  if (!pattern || typeof url !== 'string' || !/^https?:\/\//i.test(url)) return undefined
  const jiraRegex = slug === 'jira' ? jiraPattern(settings) : undefined
  const short = hasOwnIssues ? undefined : pattern.short
  return {
    title: pattern.title,
    issues_url: url,
    takesNumbers: short !== undefined,
    find: (text) => [
      ...(jiraRegex ? issuesIn(jiraRegex, text) : matchesOf(pattern.long, text)),
      ...(short ? matchesOf(short, text) : []),
    ],
  }
}

function jiraIssuesUrl({ url }: Readonly<Record<string, unknown>>): string {
  return `${String(url).trim().replace(/\/+$/, '')}/browse/:id`
}

/** Returns the configured pattern of issue keys. Undefined if there is none. */
function jiraPattern(settings: Readonly<Record<string, unknown>>): RE2JS | undefined {
  const { jira_issue_regex: regex, jira_issue_prefix: prefix } = settings
  if (!regex && !prefix) return undefined
  const start = typeof prefix === 'string' ? RE2JS.quote(prefix) : ''
  const key = typeof regex === 'string' && regex !== '' ? regex : '[A-Z][A-Z0-9_]+-\\d+'
  try {
    return linearPattern(`${/^\w/.test(start) ? '\\b' : ''}${start}(${key})`)
  } catch {
    // The pattern was valid when it was set, but a newer version of the instance may read it differently.
    return undefined
  }
}

/** The maximum number of external issues in one text. */
const MAX_MATCHES = 2000

function matchesOf(pattern: RegExp, text: string): ExternalIssue[] {
  return Array.from(text.matchAll(pattern).take(MAX_MATCHES), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    id: match.slice(1).find((group) => group !== undefined)!,
  }))
}

/** Returns the issues with keys that match a configured pattern. Searches only the start of a long text. */
function issuesIn(pattern: RE2JS, text: string): ExternalIssue[] {
  const matcher = pattern.matcher(searchable(pattern, text))
  const issues: ExternalIssue[] = []
  while (issues.length < MAX_MATCHES && matcher.find()) {
    const id = matcher.group(1)
    if (id) issues.push({ start: matcher.start(), end: matcher.end(), id })
  }
  return issues
}

/** Returns the URL of an external issue. The ID is URL-encoded, so it cannot change the host. */
export function issueUrl(tracker: Tracker, id: string): string {
  return tracker.issues_url.replaceAll(':id', () => encodeURIComponent(id))
}

/**
 * Adds references to external issues to the references of a text. Existing references take precedence: `~A-1` is a
 * label. With `takesNumbers`, `#5` is an external issue.
 */
export function withTrackerIssues(
  text: string,
  references: readonly Reference[],
  tracker: Tracker,
): Reference[] {
  const ownReferences = references.filter(
    (reference) => !(tracker.takesNumbers && reference.kind === 'issue' && reference.path === ''),
  )
  const externalReferences = tracker.find(text).map(({ start, end, id }): Reference => {
    return { kind: 'outside_issue', start, end, path: '', name: id, quoted: false }
  })
  const sorted = [...ownReferences, ...externalReferences].toSorted(
    (a, b) => a.start - b.start || Number(a.kind === 'outside_issue') - Number(b.kind === 'outside_issue'),
  )
  const result: Reference[] = []
  for (const reference of sorted) if (reference.start >= (result.at(-1)?.end ?? 0)) result.push(reference)
  return result
}
