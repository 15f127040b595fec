import type { Delivery } from '../delivery.ts'
import { type IssuablePayload, payloadOf } from '../payload.ts'
import { text } from './markup.ts'
import { type Message, shortened } from './message.ts'
import { nameOf, projectLink } from './parts.ts'

const DONE: Readonly<Record<string, string>> = { open: 'opened', close: 'closed', reopen: 'reopened' }

/** An issue that was opened, closed or opened again. */
export function issueMessage(delivery: Delivery): Message {
  const { user, object_attributes: issue } = payloadOf<IssuablePayload>(delivery)
  const who = nameOf(user)
  const done = DONE[issue.action ?? ''] ?? issue.state
  const link = { link: `#${issue.iid} ${issue.title}`, url: issue.url }
  const pretext = text`[${projectLink(delivery)}] Issue ${link} ${done} by ${who}`
  return {
    pretext,
    summary: pretext,
    attachments:
      issue.action === 'open'
        ? [
            {
              title: `#${issue.iid} ${issue.title}`,
              title_link: issue.url,
              text: [{ markdown: shortened(issue.description ?? '') }],
              color: '#C95823',
            },
          ]
        : [],
    activity: {
      title: text`Issue ${done} by ${who}`,
      subtitle: text`in ${projectLink(delivery)}`,
      text: [link],
      image: user?.avatar_url ?? null,
    },
    author: { name: who, avatar: user?.avatar_url ?? null },
    thread: `issue ${issue.iid}`,
  }
}
