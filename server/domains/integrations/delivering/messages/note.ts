import type { Delivery } from '../delivery.ts'
import { type NotePayload, payloadOf } from '../payload.ts'
import { text } from './markup.ts'
import { type Message, shortened } from './message.ts'
import { firstLine, nameOf, projectLink } from './parts.ts'

/** A comment. */
export function noteMessage(delivery: Delivery): Message {
  const payload = payloadOf<NotePayload>(delivery)
  const { user, object_attributes: note } = payload
  const who = nameOf(user)
  const { name, title, thread } = subjectOf(payload)
  const link = { link: `commented on ${name}`, url: note.url }
  const pretext = text`${who} ${link} in ${projectLink(delivery)}: ${{ strong: title }}`
  return {
    pretext,
    summary: pretext,
    attachments: [{ text: [{ markdown: shortened(note.note) }], color: '#345' }],
    activity: {
      title: text`${who} ${link}`,
      subtitle: text`in ${projectLink(delivery)}`,
      text: [title],
      image: user?.avatar_url ?? null,
    },
    author: { name: who, avatar: user?.avatar_url ?? null },
    thread,
  }
}

/** What the comment is about. */
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
