import type { Delivery } from '../delivery.ts'
import { type IssuablePayload, payloadOf } from '../payload.ts'
import { text } from './markup.ts'
import type { Message } from './message.ts'
import { nameOf, projectLink } from './parts.ts'

const DONE: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  merge: 'merged',
  approved: 'approved',
  unapproved: 'unapproved',
  approval: 'added their approval to',
  unapproval: 'removed their approval from',
}

/** A merge request that was opened, closed, merged, approved, … */
export function mergeRequestMessage(delivery: Delivery): Message {
  const { user, object_attributes: request } = payloadOf<IssuablePayload>(delivery)
  const who = nameOf(user)
  const done = DONE[request.action ?? ''] ?? request.state
  const link = { link: `!${request.iid} ${request.title}`, url: request.url }
  const pretext = text`${who} ${done} merge request ${link} in ${projectLink(delivery)}`
  return {
    pretext,
    summary: pretext,
    attachments: [],
    activity: {
      title: text`Merge request ${done} by ${who}`,
      subtitle: text`in ${projectLink(delivery)}`,
      text: [link],
      image: user?.avatar_url ?? null,
    },
    author: { name: who, avatar: user?.avatar_url ?? null },
    thread: `merge_request ${request.iid}`,
  }
}
