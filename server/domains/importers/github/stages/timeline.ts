import { userById } from '../../../users/index.ts'
import type { IssuableRef, NewEvent } from '../../hosts/landing/index.ts'
import { recordIn, text, integer, type Fields } from '../../hosts/answers.ts'
import { personIn, personOf } from '../people.ts'
import { repoPath, importRecord, forEachRecord, type Work, type Stage } from '../work.ts'
import { forEachIssuable } from './issuables.ts'

/** Stage 8: events of issues and pull requests. */
export const events: Stage = {
  name: 'issue_events',
  isEnabled: ({ source }) => source.optional_stages['single_endpoint_issue_events_import'] === true,
  run: (work) =>
    forEachIssuable(work, ['MergeRequest', 'Issue'], (issuable) => {
      const list = {
        path: `${repoPath(work)}/issues/${issuable.iid}/timeline`,
        stat: 'issue_event',
        counts: isImported,
      }
      return forEachRecord(work, list, (item) =>
        isImported(item) ? importEvent(work, issuable, item) : undefined,
      )
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
  (_work, item) => ({ event, label: text(recordIn(item, 'label'), 'name') ?? '' })
const milestone =
  (event: 'milestoned' | 'demilestoned'): EventReader =>
  (_work, item) => ({ event, milestone: text(recordIn(item, 'milestone'), 'title') ?? '' })
const systemNote =
  (action: string, words: string, field: string): EventReader =>
  async (work, item) => {
    const name = await nameOf(work, recordIn(item, field))
    return name === null ? null : { event: 'system', action, body: `${words} ${name}` }
  }

const EVENT_READERS: Readonly<Record<string, EventReader>> = {
  closed: state('closed'),
  reopened: state('reopened'),
  merged: state('merged'),
  labeled: label('labeled'),
  unlabeled: label('unlabeled'),
  milestoned: milestone('milestoned'),
  demilestoned: milestone('demilestoned'),
  assigned: systemNote('assignee', 'assigned to', 'assignee'),
  unassigned: systemNote('assignee', 'unassigned', 'assignee'),
  review_requested: systemNote('reviewer', 'requested review from', 'requested_reviewer'),
  review_request_removed: systemNote('reviewer', 'removed review request for', 'requested_reviewer'),
  renamed(_work, item) {
    const [from, to] = ['from', 'to'].map((name) => text(recordIn(item, 'rename'), name) ?? '')
    return { event: 'system', action: 'title', body: `changed title from **{-${from}-}** to **{+${to}+}**` }
  },
  'cross-referenced': (work, item) => crossReference(work, item),
}

const isImported = (item: Fields): boolean => Object.hasOwn(EVENT_READERS, text(item, 'event') ?? '')

/**
 * The name of a user in the text of a system note: a mention if they have an account here, otherwise their login as
 * code.
 */
async function nameOf(work: Work, user: Fields | null): Promise<string | null> {
  const person = await personOf(work, user)
  if (person === null) return null
  const account = work.landing.account(person)
  const localUser = account.isMatched ? userById(work.ctx.db, account.id) : undefined
  // Written as code, because another user may have the same name here.
  return localUser ? `@${localUser.username}` : `\`${person.login.replaceAll('`', '')}\``
}

function crossReference(work: Work, item: Fields): TimelineEvent | null {
  const issue = recordIn(recordIn(item, 'source'), 'issue')
  const number = integer(issue, 'number')
  if (number === null) return null
  const repository = text(recordIn(issue, 'repository'), 'full_name')
  const isSameRepository =
    repository === null || repository.toLowerCase() === work.source.full_name.toLowerCase()
  const isRequest = recordIn(issue, 'pull_request') !== null
  const name = isSameRepository
    ? `${isRequest ? '!' : '#'}${number}`
    : `\`${repository.replaceAll('`', '')}#${number}\``
  const noun = isRequest ? 'merge request' : 'issue'
  return { event: 'system', action: 'cross_reference', body: `mentioned in ${noun} ${name}` }
}

async function importEvent(work: Work, issuable: IssuableRef, item: Fields): Promise<void> {
  const name = text(item, 'event')!
  const created_at = text(item, 'created_at') ?? text(item, 'submitted_at') ?? work.ctx.now
  const number = integer(recordIn(recordIn(item, 'source'), 'issue'), 'number')
  const key = `${issuable.kind}:${issuable.iid}:${integer(item, 'id') ?? `${name}:${created_at}:${number}`}`
  await importRecord(
    work,
    { stat: 'issue_event', mark: 'event', key, name: `Event ${name} of ${issuable.iid}` },
    async () => {
      const timelineEvent = await EVENT_READERS[name]!(work, item, issuable)
      if (!timelineEvent) return null
      const event = {
        ...timelineEvent,
        source_key: key,
        issuable,
        actor: await personIn(work, item, 'actor'),
        created_at,
      }
      return work.landing.event(event as NewEvent)
    },
  )
}
