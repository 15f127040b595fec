import type { Delivery } from '../channel.ts'
import { type IssuablePayload, type NotePayload, payloadOf } from '../payload.ts'
import { text } from './markup.ts'
import { firstLine, type Message, nameOf, projectLink, truncate } from './message.ts'

const ISSUE_ACTIONS: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
}

/** An issue that was opened, closed or reopened. */
export function issueMessage(delivery: Delivery): Message {
  const { user, object_attributes: issue } = payloadOf<IssuablePayload>(delivery)
  const userName = nameOf(user)
  const action = ISSUE_ACTIONS[issue.action ?? ''] ?? issue.state
  const link = { link: `#${issue.iid} ${issue.title}`, url: issue.url }
  const pretext = text`[${projectLink(delivery)}] Issue ${link} ${action} by ${userName}`
  return {
    pretext,
    summary: pretext,
    attachments:
      issue.action === 'open'
        ? [
            {
              title: `#${issue.iid} ${issue.title}`,
              title_link: issue.url,
              text: [{ markdown: truncate(issue.description ?? '') }],
              color: '#C95823',
            },
          ]
        : [],
    activity: {
      title: text`Issue ${action} by ${userName}`,
      subtitle: text`in ${projectLink(delivery)}`,
      text: [link],
      image: user?.avatar_url ?? null,
    },
    author: { name: userName, avatar: user?.avatar_url ?? null },
    thread: `issue ${issue.iid}`,
  }
}

const MERGE_REQUEST_ACTIONS: Readonly<Record<string, string>> = {
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
  const userName = nameOf(user)
  const action = MERGE_REQUEST_ACTIONS[request.action ?? ''] ?? request.state
  const link = { link: `!${request.iid} ${request.title}`, url: request.url }
  const pretext = text`${userName} ${action} merge request ${link} in ${projectLink(delivery)}`
  return {
    pretext,
    summary: pretext,
    attachments: [],
    activity: {
      title: text`Merge request ${action} by ${userName}`,
      subtitle: text`in ${projectLink(delivery)}`,
      text: [link],
      image: user?.avatar_url ?? null,
    },
    author: { name: userName, avatar: user?.avatar_url ?? null },
    thread: `merge_request ${request.iid}`,
  }
}

/** A comment. */
export function noteMessage(delivery: Delivery): Message {
  const payload = payloadOf<NotePayload>(delivery)
  const { user, object_attributes: note } = payload
  const userName = nameOf(user)
  const { name, title, thread } = subjectOf(payload)
  const link = { link: `commented on ${name}`, url: note.url }
  const pretext = text`${userName} ${link} in ${projectLink(delivery)}: ${{ strong: title }}`
  return {
    pretext,
    summary: pretext,
    attachments: [{ text: [{ markdown: truncate(note.note) }], color: '#345' }],
    activity: {
      title: text`${userName} ${link}`,
      subtitle: text`in ${projectLink(delivery)}`,
      text: [title],
      image: user?.avatar_url ?? null,
    },
    author: { name: userName, avatar: user?.avatar_url ?? null },
    thread,
  }
}

/** The subject of the comment. */
function subjectOf({ commit, issue, merge_request, snippet }: NotePayload) {
  if (issue) return { name: `issue #${issue.iid}`, title: issue.title, thread: `issue ${issue.iid}` }
  if (merge_request) {
    const { iid, title } = merge_request
    return { name: `merge request !${iid}`, title, thread: `merge_request ${iid}` }
  }
  if (snippet)
    return { name: `snippet $${snippet.id}`, title: snippet.title, thread: `snippet ${snippet.id}` }
  const id = commit?.id ?? ''
  return { name: `commit ${id.slice(0, 8)}`, title: firstLine(commit?.message ?? ''), thread: `commit ${id}` }
}
