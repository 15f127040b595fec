import type { Delivery } from '../delivery.ts'
import { payloadOf, type WikiPagePayload } from '../payload.ts'
import { text } from './markup.ts'
import { type Message, shortened } from './message.ts'
import { nameOf, projectLink } from './parts.ts'

const DONE: Readonly<Record<string, string>> = { create: 'created', update: 'edited', delete: 'deleted' }

/** A page of the wiki that was written, changed or removed. */
export function wikiPageMessage(delivery: Delivery): Message {
  const { user, object_attributes: page } = payloadOf<WikiPagePayload>(delivery)
  const who = nameOf(user)
  const done = DONE[page.action] ?? page.action
  const link = { link: 'wiki page', url: page.url }
  const compare =
    page.action === 'update' && page.diff_url
      ? text` (${{ link: 'Compare changes', url: page.diff_url }})`
      : []
  const pretext = text`${who} ${done} ${link}${compare} in ${projectLink(delivery)}: ${{ strong: page.title }}`
  return {
    pretext,
    summary: pretext,
    attachments: page.message ? [{ text: [{ markdown: shortened(page.message) }], color: '#345' }] : [],
    activity: {
      title: text`${who} ${done} ${link}`,
      subtitle: text`in ${projectLink(delivery)}`,
      text: [page.title],
      image: user?.avatar_url ?? null,
    },
    author: { name: who, avatar: user?.avatar_url ?? null },
    thread: `wiki_page ${page.slug}`,
  }
}
