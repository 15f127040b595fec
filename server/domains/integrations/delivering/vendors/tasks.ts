import type { SentOut } from '../../../webhooks/index.ts'
import { send, type Delivery, textOf, type Vendor } from '../channel.ts'
import { projectName } from '../messages/message.ts'
import { payloadOf, pusherOf, type PushPayload, shortRef } from '../payload.ts'

const API = 'https://app.asana.com/api/1.0/tasks'

/** `#123` or the URL of a task. A word before it closes the task. */
const TASK =
  /(fix(?:e[ds]|ing)?|clos(?:e[ds]?|ing))?[ \t:]{0,10}(?:#|https:\/\/app\.asana\.com\/\S{1,100}?\/)(\d{1,30})(?!\d|\/\d)/gi

/** Returns the tasks in a commit message, each once. True for tasks that the message closes. */
export function tasksIn(message: string): Map<string, boolean> {
  const tasks = new Map<string, boolean>()
  for (const [, word, id] of message.matchAll(TASK)) {
    tasks.set(id!, (tasks.get(id!) ?? false) || word !== undefined)
  }
  return tasks
}

/** Asana: a comment on every task that a commit mentions. */
export const asana: Vendor = async (delivery) => {
  const push = payloadOf<PushPayload>(delivery)
  const sent: SentOut[] = []
  for (const commit of push.commits) {
    const text = `${pusherOf(push)} pushed to branch ${shortRef(push.ref)} of ${projectName(delivery)} ( ${commit.url} ): ${commit.message}`
    for (const [task, isDone] of tasksIn(commit.message)) {
      sent.push(await sendToAsana(delivery, 'POST', `${API}/${task}/stories`, { text }))
      if (isDone) sent.push(await sendToAsana(delivery, 'PUT', `${API}/${task}`, { completed: true }))
    }
  }
  return sent
}

function sendToAsana(
  delivery: Delivery,
  method: 'POST' | 'PUT',
  url: string,
  data: object,
): Promise<SentOut> {
  const headers = { Authorization: `Bearer ${textOf(delivery, 'api_key')}` }
  return send(delivery, { method, url, headers, json: { data } })
}

/** `[#123]`, `[finishes #123 #124]`. The vendor reads the words itself. */
const STORY = /\[[^\][#]{0,100}#\d{1,30}[^\][]{0,200}\]/
/** Whether a commit message names a story. */
export function namesStory(message: string): boolean {
  return STORY.test(message)
}

/** Pivotal Tracker: commits that mention stories. */
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
