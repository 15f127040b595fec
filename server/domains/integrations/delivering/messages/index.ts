import type { Kind } from '../../../webhooks/index.ts'
import type { Delivery } from '../channel.ts'
import { pushMessage, wikiPageMessage } from './code.ts'
import type { Message } from './message.ts'
import { deploymentMessage, pipelineMessage } from './pipeline.ts'
import { issueMessage, mergeRequestMessage, noteMessage } from './planning.ts'

const BY_KIND: Partial<Readonly<Record<Kind, (delivery: Delivery) => Message>>> = {
  push: pushMessage,
  tag_push: pushMessage,
  issue: issueMessage,
  confidential_issue: issueMessage,
  merge_request: mergeRequestMessage,
  note: noteMessage,
  confidential_note: noteMessage,
  pipeline: pipelineMessage,
  wiki_page: wikiPageMessage,
  deployment: deploymentMessage,
}

/** Makes the message for an event. Undefined for kinds that chats do not get (spec administration 3.5). */
export function messageOf(delivery: Delivery): Message | undefined {
  return BY_KIND[delivery.kind]?.(delivery)
}
