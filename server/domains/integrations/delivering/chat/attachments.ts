import { chatMarkup, markdown, type Markup, type Text } from '../messages/markup.ts'
import type { Attachment } from '../messages/message.ts'

/** An attachment as Slack and its relatives take it. */
export function asJson(one: Attachment): Record<string, unknown> {
  const { author, footer, fields } = one
  return {
    ...(one.fallback ? { fallback: chatMarkup(one.fallback) } : {}),
    color: one.color,
    ...(author
      ? { author_name: chatMarkup([author.name]), author_icon: author.icon, author_link: author.link }
      : {}),
    ...(one.title ? { title: chatMarkup([one.title]), title_link: one.title_link } : {}),
    ...(one.text ? { text: chatMarkup(one.text) } : {}),
    ...(fields ? { fields: fields.map((field) => ({ ...field, value: chatMarkup(field.value) })) } : {}),
    ...(footer ? { footer: chatMarkup([footer.name]), footer_icon: footer.icon } : {}),
    ...(one.ts === undefined ? {} : { ts: one.ts }),
    ...(one.text ? { mrkdwn_in: ['text'] } : {}),
  }
}

/** Attachments as lines of a text. What has a fallback says more by it than by its title. */
export function asLines(attachments: readonly Attachment[], write: Markup = markdown): string {
  const lines = attachments.flatMap((one): Text[] => [
    ...(one.fallback ? [one.fallback] : one.title ? [titleOf(one.title, one.title_link)] : []),
    ...(one.text && one.text.length > 0 ? [one.text] : []),
    ...(one.fields ?? []).map((field): Text => [`${field.title}: `, ...field.value]),
  ])
  return lines.map(write).join('\n')
}

function titleOf(title: string, link: string | undefined): Text {
  return link ? [{ link: title, url: link }] : [title]
}
