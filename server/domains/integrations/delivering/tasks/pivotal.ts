import type { SentOut } from '../../../webhooks/index.ts'
import { send } from '../channel.ts'
import { textOf, type Vendor } from '../delivery.ts'
import { payloadOf, type PushPayload } from '../payload.ts'

/** `[#123]`, `[finishes #123 #124]`; what becomes of the story the vendor reads from the message. */
const STORY = /\[[^\][#]{0,100}#\d{1,30}[^\][]{0,200}\]/

/** Whether a commit message names a story. */
export function namesStory(message: string): boolean {
  return STORY.test(message)
}

/** Pivotal Tracker: commits that name stories. */
export const pivotalTracker: Vendor = async (delivery) => {
  const sent: SentOut[] = []
  for (const { id, author, url, message } of payloadOf<PushPayload>(delivery).commits) {
    if (!namesStory(message)) continue
    sent.push(
      await send(delivery, {
        url: 'https://www.pivotaltracker.com/services/v5/source_commits',
        headers: { 'X-TrackerToken': textOf(delivery, 'token') },
        json: { source_commit: { commit_id: id, author: author.name, url, message: message.trim() } },
      }),
    )
  }
  return sent
}
