import type { SentOut } from '../../../webhooks/index.ts'
import { type Delivery, listOf } from '../delivery.ts'
import { ask, tell } from './client.ts'

/** What an issue is told of. */
export interface Mention {
  /** Of the commit or merge request. */
  readonly url: string
  readonly title: string
  readonly comment: string
  /** It says that the issue is done, and where that counts. */
  readonly isDone: boolean
}

interface Issue {
  readonly fields: {
    readonly resolution: unknown
    readonly comment?: { readonly comments?: readonly { readonly body?: unknown }[] }
  }
}

interface Transitions {
  readonly transitions: readonly {
    readonly id: string
    readonly to?: { readonly statusCategory?: { readonly key?: string } }
  }[]
}

/**
 * Tells an issue of a commit or merge request, once: with a comment and a link. Where it is done by it, it is moved on.
 * Issues that there are not, or that the account may not see, are left alone.
 */
export async function tellIssue(delivery: Delivery, key: string, mention: Mention): Promise<SentOut[]> {
  const path = `issue/${encodeURIComponent(key)}`
  const answer = await ask<Issue>(delivery, `${path}?fields=comment,resolution`)
  if ('failed' in answer) return [answer.failed]
  const { fields } = answer.found
  const wasTold = (fields.comment?.comments ?? []).some((one) => String(one.body).includes(mention.url))
  const sent: SentOut[] = []
  if (!wasTold) {
    if (delivery.settings['comment_on_event_enabled'] !== false)
      sent.push(await tell(delivery, `${path}/comment`, { body: mention.comment }))
    sent.push(await tell(delivery, `${path}/remotelink`, remoteLink(delivery, mention)))
  }
  if (mention.isDone && !fields.resolution) sent.push(...(await moveOn(delivery, path)))
  return sent
}

/** The same address makes the same link, however often it is told. */
function remoteLink({ ctx }: Delivery, { url, title }: Mention): object {
  return {
    globalId: `${ctx.config.url} ${url}`,
    relationship: 'mentioned on',
    object: { url, title, icon: { title: 'Deskforge', url16x16: `${ctx.config.url}/favicon.ico` } },
  }
}

/** By the transitions that were named, or by the first that leads to what counts as done. */
async function moveOn(delivery: Delivery, path: string): Promise<SentOut[]> {
  const isAutomatic = delivery.settings['jira_issue_transition_automatic'] === true
  const sent: SentOut[] = []
  if (!isAutomatic) {
    for (const id of listOf(delivery, 'jira_issue_transition_id', /[,;]/))
      sent.push(await tell(delivery, `${path}/transitions`, { transition: { id } }))
    return sent
  }
  const answer = await ask<Transitions>(delivery, `${path}/transitions`)
  if ('failed' in answer) return [answer.failed]
  const done = answer.found.transitions.find((one) => one.to?.statusCategory?.key === 'done')
  return done ? [await tell(delivery, `${path}/transitions`, { transition: { id: done.id } })] : []
}
