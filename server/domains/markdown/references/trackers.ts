import { RE2JS } from 're2js'

import { linearPattern, searchable } from '../../../lib/linear-pattern.ts'
import type { Reference } from '../../../lib/references.ts'

/** Where a project keeps its issues, when that is not here. */
export interface Tracker {
  /** What people call it. */
  readonly title: string
  /** Address of an issue, `:id` standing for it. */
  readonly issues_url: string
  /** What names an issue there in a text, from its start on. */
  find(text: string): OutsideIssue[]
  /** In `#5` an issue there is meant too, if the project has none here. */
  readonly takesNumbers: boolean
}

/** A place in a text that names an issue elsewhere. */
export interface OutsideIssue {
  readonly start: number
  readonly end: number
  /** What takes the place of `:id`. */
  readonly id: string
}

interface Pattern {
  readonly title: string
  readonly long: RegExp
  readonly short?: RegExp
}

/** `PREFIX-123` and `#123`: what is told is the number. */
const NUMBERED = { long: /\b[A-Z][A-Z0-9_]*-(\d{1,20})\b/g, short: /(?<![\w/&#])#(\d{1,20})\b/g }
const KEY = /\b([A-Za-z][A-Za-z0-9_]*-\d{1,20})\b/g

/** How the issues of each tracker are written (spec administration 3.3, variant IT). Each pattern is linear in the text. */
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

/** What a tracker is made of; can be handed to another thread. */
export interface TrackerSettings {
  readonly slug: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly hasOwnIssues: boolean
}

/** Slugs of the integrations that are issue trackers. */
export const TRACKER_SLUGS: readonly string[] = Object.keys(PATTERNS)

/**
 * A tracker from what it is set to; undefined where its issues have no address. Only the long form names an issue there
 * when the project has issues of its own.
 */
export function trackerFrom(
  slug: string,
  settings: Readonly<Record<string, unknown>>,
  hasOwnIssues: boolean,
): Tracker | undefined {
  const pattern = PATTERNS[slug]
  const url = slug === 'jira' ? jiraAddress(settings) : settings['issues_url']
  if (!pattern || typeof url !== 'string' || !/^https?:\/\//i.test(url)) return undefined
  const own = slug === 'jira' ? jiraPattern(settings) : undefined
  const short = hasOwnIssues ? undefined : pattern.short
  return {
    title: pattern.title,
    issues_url: url,
    takesNumbers: short !== undefined,
    find: (text) => [
      ...(own ? found(own, text) : matched(pattern.long, text)),
      ...(short ? matched(short, text) : []),
    ],
  }
}

function jiraAddress({ url }: Readonly<Record<string, unknown>>): string {
  return `${String(url).trim().replace(/\/+$/, '')}/browse/:id`
}

/** What a project says of how its keys look; undefined where it says nothing. */
function jiraPattern(settings: Readonly<Record<string, unknown>>): RE2JS | undefined {
  const { jira_issue_regex: regex, jira_issue_prefix: prefix } = settings
  if (!regex && !prefix) return undefined
  const start = typeof prefix === 'string' ? RE2JS.quote(prefix) : ''
  const key = typeof regex === 'string' && regex !== '' ? regex : '[A-Z][A-Z0-9_]+-\\d+'
  try {
    return linearPattern(`${/^\w/.test(start) ? '\\b' : ''}${start}(${key})`)
  } catch {
    // It was checked when it was set; a newer version may read it in another way.
    return undefined
  }
}

/** A text that names more than that is not about them; more are never made links. */
const MOST = 2000

function matched(pattern: RegExp, text: string): OutsideIssue[] {
  return Array.from(text.matchAll(pattern).take(MOST), (match) => ({
    start: match.index,
    end: match.index + match[0].length,
    id: match.slice(1).find((group) => group !== undefined)!,
  }))
}

/** Keys by a pattern of somebody; of a long text only in its start, so that nobody waits for it. */
function found(pattern: RE2JS, text: string): OutsideIssue[] {
  const matcher = pattern.matcher(searchable(pattern, text))
  const all: OutsideIssue[] = []
  while (all.length < MOST && matcher.find()) {
    const id = matcher.group(1)
    if (id) all.push({ start: matcher.start(), end: matcher.end(), id })
  }
  return all
}

/** Where an issue is. Ids are put in as they would be typed, so that they cannot lead to another host. */
export function addressOf(tracker: Tracker, id: string): string {
  return tracker.issues_url.replaceAll(':id', () => encodeURIComponent(id))
}

/**
 * References of a text with those to issues elsewhere among them. What already names something here stays: `~A-1` is a
 * label. Where the tracker takes numbers, `#5` alone is an issue there.
 */
export function withTrackerIssues(
  text: string,
  references: readonly Reference[],
  tracker: Tracker,
): Reference[] {
  const kept = references.filter((one) => !(tracker.takesNumbers && one.kind === 'issue' && one.path === ''))
  const outside = tracker.find(text).map(({ start, end, id }): Reference => {
    return { kind: 'outside_issue', start, end, path: '', name: id, quoted: false }
  })
  const all = [...kept, ...outside].toSorted(
    (a, b) => a.start - b.start || Number(a.kind === 'outside_issue') - Number(b.kind === 'outside_issue'),
  )
  const result: Reference[] = []
  for (const one of all) if (one.start >= (result.at(-1)?.end ?? 0)) result.push(one)
  return result
}
