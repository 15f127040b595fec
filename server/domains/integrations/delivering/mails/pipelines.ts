import { html as asHtml, plain, text, type Text } from '../messages/markup.ts'
import { messageOf } from '../messages/index.ts'
import { projectName } from '../messages/parts.ts'
import type { Vendor } from '../occasion.ts'
import { payloadOf, type PipelinePayload } from '../payload.ts'
import { sendEach } from './send-each.ts'

/** Mails about pipelines that are over. */
export const pipelinesEmail: Vendor = async (occasion) => {
  const { object_attributes: pipeline } = payloadOf<PipelinePayload>(occasion)
  const message = messageOf(occasion)
  if (!message) return []
  const attachment = message.attachments[0]
  const lines: Text[] = [
    message.summary,
    ...(attachment?.fields ?? []).map((field) => text`${field.title}: ${field.value}`),
  ]
  const url = attachment?.title_link ?? ''
  const word = pipeline.status === 'failed' ? 'Failed' : 'Successful'
  return sendEach(occasion, {
    subject: `${projectName(occasion)} | ${word} pipeline for ${pipeline.ref} | ${pipeline.sha.slice(0, 8)}`,
    text: `${lines.map(plain).join('\n')}\n\nView it: ${url}\n`,
    html: lines.map((line) => `<p>${asHtml(line)}</p>`).join('\n'),
  })
}
