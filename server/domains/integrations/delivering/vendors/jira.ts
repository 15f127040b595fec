import type { SentOut } from '../../../webhooks/index.ts'
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

/** Jira: comments on issues that commits and merge requests mention. */
export const jira: Vendor = (delivery) => {
  const configured = { ...delivery, settings: { ...delivery.settings, ...commenting(delivery) } }
  return delivery.kind === 'merge_request' ? commentOnMergeRequest(configured) : commentOnCommits(configured)
}

/** Whether issues get comments. This is an event flag, not a setting. */
function commenting({ row }: Delivery) {
  return { comment_on_event_enabled: flagsOf(row).comment_on_event_enabled }
}

async function commentOnCommits(delivery: Delivery): Promise<SentOut[]> {
  const push = payloadOf<PushPayload>(delivery)
  const branch = shortRef(push.ref)
  const isDefault = branch === delivery.project.default_branch
  const sent: SentOut[] = []
  for (const commit of push.commits) {
    const where = `${link('a commit', commit.url)} of ${link(projectName(delivery), projectUrl(delivery))} on branch ${escaped(branch)}`
    const mention = {
      url: commit.url,
      title: `Commit - ${commit.title}`,
      comment: `${escaped(pusherOf(push))} mentioned this issue in ${where}:\n${quote(commit.title)}`,
    }
    sent.push(...(await commentOnAll(delivery, commit.message, mention, isDefault)))
  }
  return sent
}

async function commentOnMergeRequest(delivery: Delivery): Promise<SentOut[]> {
  const { user, object_attributes: request, changes = {} } = payloadOf<MergeRequestPayload>(delivery)
  const isMerged = request.action === 'merge'
  const hasNewText = request.action === 'update' && ('title' in changes || 'description' in changes)
  if (!isMerged && !hasNewText && request.action !== 'open' && request.action !== 'reopen') return []
  const where = `${link(`merge request !${request.iid}`, request.url)} of ${link(projectName(delivery), projectUrl(delivery))}`
  const mention = {
    url: request.url,
    title: `Merge request - ${request.title}`,
    comment: `${escaped(user?.name ?? 'Someone')} mentioned this issue in ${where}:\n${quote(request.title)}`,
  }
  const counts = isMerged && request.target_branch === delivery.project.default_branch
  return commentOnAll(delivery, `${request.title}\n${request.description ?? ''}`, mention, counts)
}

/** Comments on every issue that a text mentions. `counts`: whether closing words close issues now. */
async function commentOnAll(
  delivery: Delivery,
  text: string,
  mention: Omit<Mention, 'isDone'>,
  counts: boolean,
): Promise<SentOut[]> {
  const sent: SentOut[] = []
  for (const [key, isDone] of issuesIn(delivery, text))
    sent.push(...(await commentOnIssue(delivery, key, { ...mention, isDone: counts && isDone })))
  return sent
}

const escaped = (text: string): string => text.replace(/[\\[\]{}|*_^~+!]/g, String.raw`\$&`)
const link = (label: string, url: string): string => `[${label.replace(/[[\]|{}]/g, ' ')}|${url}]`
const quote = (text: string): string => `{quote}${escaped(firstLine(text))}{quote}`

/** Checks the URL and the account. */
export async function checkJira(delivery: Delivery): Promise<{ is_ok: boolean; message: string }> {
  const answer = await readFromJira<{ serverTitle?: string; version?: string }>(delivery, 'serverInfo')
  if ('failed' in answer) return { is_ok: false, message: answer.failed.error ?? 'Jira did not answer.' }
  const { serverTitle = 'Jira', version = '' } = answer.value
  return { is_ok: true, message: `${serverTitle} ${version}`.trim() + ' answered.' }
}
