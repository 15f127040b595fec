import { userById } from '../../../users/index.ts'
import type { IssuableRef, NewEvent } from '../../hosts/landing/index.ts'
import { inner, text, integer, type Fields } from '../../hosts/answers.ts'
import { personIn, personOf } from '../people.ts'
import { repoPath, importRecord, walk, type Work, type Stage } from '../work.ts'
import { eachIssuable } from './issuables.ts'

/** Stage 8: events of issues and pull requests. */
export const events: Stage = {
  name: 'issue_events',
  isWanted: ({ source }) => source.optional_stages['single_endpoint_issue_events_import'] === true,
  run: (work) =>
    eachIssuable(work, ['MergeRequest', 'Issue'], (issuable) => {
      const list = {
        path: `${repoPath(work)}/issues/${issuable.iid}/timeline`,
        stat: 'issue_event',
        counts: isKnown,
      }
      return walk(work, list, (item) => (isKnown(item) ? importEvent(work, issuable, item) : undefined))
    }),
}

type TimelineEvent =
  | { event: 'closed' | 'reopened' | 'merged'; commit: string | null }
  | { event: 'labeled' | 'unlabeled'; label: string }
  | { event: 'milestoned' | 'demilestoned'; milestone: string }
  | { event: 'system'; action: string; body: string }

type EventReader = (
  work: Work,
  item: Fields,
  issuable: IssuableRef,
) => Promise<TimelineEvent | null> | TimelineEvent | null

const state =
  (event: 'closed' | 'reopened' | 'merged'): EventReader =>
  (_work, item) => ({ event, commit: text(item, 'commit_id') })
const label =
  (event: 'labeled' | 'unlabeled'): EventReader =>
  (_work, item) => ({ event, label: text(inner(item, 'label'), 'name') ?? '' })
const milestone =
  (event: 'milestoned' | 'demilestoned'): EventReader =>
  (_work, item) => ({ event, milestone: text(inner(item, 'milestone'), 'title') ?? '' })
const about =
  (action: string, words: string, field: string): EventReader =>
  async (work, item) => {
    const who = await nameOf(work, inner(item, field))
    return who === null ? null : { event: 'system', action, body: `${words} ${who}` }
  }

const READINGS: Readonly<Record<string, EventReader>> = {
  closed: state('closed'),
  reopened: state('reopened'),
  merged: state('merged'),
  labeled: label('labeled'),
  unlabeled: label('unlabeled'),
  milestoned: milestone('milestoned'),
  demilestoned: milestone('demilestoned'),
  assigned: about('assignee', 'assigned to', 'assignee'),
  unassigned: about('assignee', 'unassigned', 'assignee'),
  review_requested: about('reviewer', 'requested review from', 'requested_reviewer'),
  review_request_removed: about('reviewer', 'removed review request for', 'requested_reviewer'),
  renamed(_work, item) {
    const [from, to] = ['from', 'to'].map((name) => text(inner(item, 'rename'), name) ?? '')
    return { event: 'system', action: 'title', body: `changed title from **{-${from}-}** to **{+${to}+}**` }
  },
  'cross-referenced': (work, item) => mentioned(work, item),
}

const isKnown = (item: Fields): boolean => Object.hasOwn(READINGS, text(item, 'event') ?? '')

/** The text names the mentioned user by their name here. */
async function nameOf(work: Work, user: Fields | null): Promise<string | null> {
  const person = await personOf(work, user)
  if (person === null) return null
  const account = work.landing.account(person)
  const localUser = account.known ? userById(work.ctx.db, account.id) : undefined
  // Another user may have the same name here.
  return localUser ? `@${localUser.username}` : `\`${person.login.replaceAll('`', '')}\``
}

function mentioned(work: Work, item: Fields): TimelineEvent | null {
  const issue = inner(inner(item, 'source'), 'issue')
  const number = integer(issue, 'number')
  if (number === null) return null
  const from = text(inner(issue, 'repository'), 'full_name')
  const isOwn = from === null || from.toLowerCase() === work.source.full_name.toLowerCase()
  const isRequest = inner(issue, 'pull_request') !== null
  const name = isOwn ? `${isRequest ? '!' : '#'}${number}` : `\`${from.replaceAll('`', '')}#${number}\``
  const noun = isRequest ? 'merge request' : 'issue'
  return { event: 'system', action: 'cross_reference', body: `mentioned in ${noun} ${name}` }
}

async function importEvent(work: Work, issuable: IssuableRef, item: Fields): Promise<void> {
  const name = text(item, 'event')!
  const created_at = text(item, 'created_at') ?? text(item, 'submitted_at') ?? work.ctx.now
  const number = integer(inner(inner(item, 'source'), 'issue'), 'number')
  const key = `${issuable.kind}:${issuable.iid}:${integer(item, 'id') ?? `${name}:${created_at}:${number}`}`
  await importRecord(
    work,
    { stat: 'issue_event', mark: 'event', key, name: `Event ${name} of ${issuable.iid}` },
    async () => {
      const what = await READINGS[name]!(work, item, issuable)
      if (!what) return null
      const event = {
        ...what,
        source_key: key,
        on: issuable,
        actor: await personIn(work, item, 'actor'),
        created_at,
      }
      return work.landing.event(event as NewEvent)
    },
  )
}
