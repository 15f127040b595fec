import type { DeliveryResult } from '../../../webhooks/index.ts'
import { flagsOf } from '../../settings.ts'
import { type Delivery, projectUrl, type Vendor, send, textOf } from '../channel.ts'
import { firstLine, projectName } from '../messages/message.ts'
import { type MergeRequestPayload, payloadOf, pusherOf, type PushPayload, shortRef } from '../payload.ts'
import { readFromJira, commentOnIssue, issuesIn, type Mention } from '../vendors/jira-issues.ts'

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
  const results: DeliveryResult[] = []
  for (const commit of push.commits) {
    const text = `${pusherOf(push)} pushed to branch ${shortRef(push.ref)} of ${projectName(delivery)} ( ${commit.url} ): ${commit.message}`
    for (const [task, isDone] of tasksIn(commit.message)) {
      results.push(await sendToAsana(delivery, 'POST', `${API}/${task}/stories`, { text }))
      if (isDone) results.push(await sendToAsana(delivery, 'PUT', `${API}/${task}`, { completed: true }))
    }
  }
  return results
}

function sendToAsana(
  delivery: Delivery,
  method: 'POST' | 'PUT',
  url: string,
  data: object,
): Promise<DeliveryResult> {
  const headers = { Authorization: `Bearer ${textOf(delivery, 'api_key')}` }
  return send(delivery, { method, url, headers, json: { data } })
}

/** `[#123]`, `[finishes #123 #124]`. The vendor interprets the words. */
const STORY = /\[[^\][#]{0,100}#\d{1,30}[^\][]{0,200}\]/

/** True if a commit message names a story. */
export function namesStory(message: string): boolean {
  return STORY.test(message)
}

/** Pivotal Tracker: commits that mention stories. */
export const pivotalTracker: Vendor = async (delivery) => {
  const results: DeliveryResult[] = []
  for (const { id, author, url, message } of payloadOf<PushPayload>(delivery).commits) {
    if (!namesStory(message)) continue
    results.push(
      await send(delivery, {
        url: 'https://www.pivotaltracker.com/services/v5/source_commits',
        headers: { 'X-TrackerToken': textOf(delivery, 'token') },
        json: { source_commit: { commit_id: id, author: author.name, url, message: message.trim() } },
      }),
    )
  }
  return results
}

/** Jira: comments on issues that commits and merge requests mention. */
export const jira: Vendor = (delivery) => {
  const configuredDelivery = { ...delivery, settings: { ...delivery.settings, ...commentFlag(delivery) } }
  return delivery.kind === 'merge_request'
    ? commentOnMergeRequest(configuredDelivery)
    : commentOnCommits(configuredDelivery)
}

/** The flag that turns comments on or off. It is an event flag, not a setting. */
function commentFlag({ row }: Delivery) {
  return { comment_on_event_enabled: flagsOf(row).comment_on_event_enabled }
}

async function commentOnCommits(delivery: Delivery): Promise<DeliveryResult[]> {
  const push = payloadOf<PushPayload>(delivery)
  const branch = shortRef(push.ref)
  const isDefault = branch === delivery.project.default_branch
  const results: DeliveryResult[] = []
  for (const commit of push.commits) {
    const location = `${link('a commit', commit.url)} of ${link(projectName(delivery), projectUrl(delivery))} on branch ${escape(branch)}`
    const mention = {
      url: commit.url,
      title: `Commit - ${commit.title}`,
      comment: `${escape(pusherOf(push))} mentioned this issue in ${location}:\n${quote(commit.title)}`,
    }
    results.push(...(await commentOnAll(delivery, commit.message, mention, isDefault)))
  }
  return results
}

async function commentOnMergeRequest(delivery: Delivery): Promise<DeliveryResult[]> {
  const { user, object_attributes: request, changes = {} } = payloadOf<MergeRequestPayload>(delivery)
  const isMerged = request.action === 'merge'
  const hasNewText = request.action === 'update' && ('title' in changes || 'description' in changes)
  if (!isMerged && !hasNewText && request.action !== 'open' && request.action !== 'reopen') return []
  const location = `${link(`merge request !${request.iid}`, request.url)} of ${link(projectName(delivery), projectUrl(delivery))}`
  const mention = {
    url: request.url,
    title: `Merge request - ${request.title}`,
    comment: `${escape(user?.name ?? 'Someone')} mentioned this issue in ${location}:\n${quote(request.title)}`,
  }
  const closesNow = isMerged && request.target_branch === delivery.project.default_branch
  return commentOnAll(delivery, `${request.title}\n${request.description ?? ''}`, mention, closesNow)
}

/** Comments on every issue that a text mentions. `closesNow` is true if closing words close issues now. */
async function commentOnAll(
  delivery: Delivery,
  text: string,
  mention: Omit<Mention, 'closesIssue'>,
  closesNow: boolean,
): Promise<DeliveryResult[]> {
  const results: DeliveryResult[] = []
  for (const [key, isDone] of issuesIn(delivery, text))
    results.push(...(await commentOnIssue(delivery, key, { ...mention, closesIssue: closesNow && isDone })))
  return results
}

const escape = (text: string): string => text.replace(/[\\[\]{}|*_^~+!]/g, String.raw`\$&`)
const link = (label: string, url: string): string => `[${label.replace(/[[\]|{}]/g, ' ')}|${url}]`
const quote = (text: string): string => `{quote}${escape(firstLine(text))}{quote}`

/** Checks the URL and the account. */
export async function checkJira(delivery: Delivery): Promise<{ is_ok: boolean; message: string }> {
  const answer = await readFromJira<{ serverTitle?: string; version?: string }>(delivery, 'serverInfo')
  if ('failure' in answer) return { is_ok: false, message: answer.failure.error ?? 'Jira did not answer.' }
  const { serverTitle = 'Jira', version = '' } = answer.value
  return { is_ok: true, message: `${serverTitle} ${version}`.trim() + ' answered.' }
}
