import type { Delivery } from '../delivery.ts'
import { type DeploymentPayload, payloadOf } from '../payload.ts'
import { type Part, text, type Text } from './markup.ts'
import type { Message } from './message.ts'
import { nameOf, projectLink } from './parts.ts'

const COLORS: Readonly<Record<string, string>> = {
  running: '#334455',
  success: 'good',
  failed: 'danger',
  canceled: 'warning',
}

/** A deployment that began or ended. */
export function deploymentMessage(delivery: Delivery): Message {
  const payload = payloadOf<DeploymentPayload>(delivery)
  const { user, environment, status } = payload
  const what = WORDS[status] ?? status
  const pretext =
    status === 'running' ? `Starting deploy to ${environment}` : `Deploy to ${environment} ${what}`
  return {
    pretext: [pretext],
    summary: [pretext],
    attachments: [{ text: details(delivery, payload), color: COLORS[status] ?? '#334455' }],
    activity: {
      title: [pretext],
      subtitle: text`in ${projectLink(delivery)}`,
      text: details(delivery, payload),
      image: user?.avatar_url ?? null,
    },
    author: { name: nameOf(user), avatar: user?.avatar_url ?? null },
    thread: `deployment ${environment}`,
  }
}

const WORDS: Readonly<Record<string, string>> = { success: 'succeeded' }

function details(delivery: Delivery, payload: DeploymentPayload): Text {
  const { deployable_id, deployable_url, user, user_url, short_sha, commit_url, commit_title } = payload
  const linked = (link: string, url: string | null): Part => (url ? { link, url } : link)
  const job = deployable_id === null ? [] : text` with job ${linked(`#${deployable_id}`, deployable_url)}`
  const by = linked(nameOf(user), user_url)
  return text`${projectLink(delivery)}${job} by ${by}\n${linked(short_sha, commit_url)}: ${commit_title ?? ''}`
}
