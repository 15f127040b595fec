import { type Delivery, projectUrl } from '../channel.ts'
import { chatMarkup, markdown, type Markup, type TextPart, type Text } from './markup.ts'

/** The part of a message below its first line (spec administration 3.5, "Message content"). */
export interface Attachment {
  readonly title?: string
  readonly title_link?: string
  readonly text?: Text
  /** A color, or one of the words of chats: good, warning, danger. */
  readonly color: string
  readonly author?: { readonly name: string; readonly icon: string | null; readonly link: string | null }
  readonly fields?: readonly { readonly title: string; readonly value: Text; readonly short: boolean }[]
  readonly footer?: { readonly name: string; readonly icon: string | null }
  /** Seconds since 1970. */
  readonly ts?: number
  /** For chats that show only this text of the attachment. */
  readonly fallback?: Text
}

/** The message for an event, before it is formatted for a chat. */
export interface Message {
  /** The first line. Empty if the attachment contains everything. */
  readonly pretext: Text
  /** The whole message in one line. */
  readonly summary: Text
  readonly attachments: readonly Attachment[]
  /** The message as a card. */
  readonly activity: {
    readonly title: Text
    readonly subtitle: Text
    readonly text: Text
    readonly image: string | null
  }
  readonly author: { readonly name: string; readonly avatar: string | null }
  /** Messages about one subject have the same thread. */
  readonly thread: string
}

/** The maximum length of a text in a message, in characters. */
const MAX_TEXT = 8000

/** Cuts a text to a maximum length. */
export function truncate(source: string, limit: number = MAX_TEXT): string {
  if (source.length <= limit) return source
  return `${source.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Formats an attachment for Slack and Mattermost. */
export function attachmentJson(attachment: Attachment): Record<string, unknown> {
  const { author, footer, fields } = attachment
  return {
    ...(attachment.fallback ? { fallback: chatMarkup(attachment.fallback) } : {}),
    color: attachment.color,
    ...(author
      ? { author_name: chatMarkup([author.name]), author_icon: author.icon, author_link: author.link }
      : {}),
    ...(attachment.title ? { title: chatMarkup([attachment.title]), title_link: attachment.title_link } : {}),
    ...(attachment.text ? { text: chatMarkup(attachment.text) } : {}),
    ...(fields ? { fields: fields.map((field) => ({ ...field, value: chatMarkup(field.value) })) } : {}),
    ...(footer ? { footer: chatMarkup([footer.name]), footer_icon: footer.icon } : {}),
    ...(attachment.ts === undefined ? {} : { ts: attachment.ts }),
    ...(attachment.text ? { mrkdwn_in: ['text'] } : {}),
  }
}

/** Formats attachments as lines of text. A fallback replaces the title. */
export function attachmentLines(attachments: readonly Attachment[], write: Markup = markdown): string {
  const lines = attachments.flatMap((attachment): Text[] => [
    ...(attachment.fallback
      ? [attachment.fallback]
      : attachment.title
        ? [titleOf(attachment.title, attachment.title_link)]
        : []),
    ...(attachment.text && attachment.text.length > 0 ? [attachment.text] : []),
    ...(attachment.fields ?? []).map((field): Text => [`${field.title}: `, ...field.value]),
  ])
  return lines.map(write).join('\n')
}

function titleOf(title: string, link: string | undefined): Text {
  return link ? [{ link: title, url: link }] : [title]
}

/** `Ann Example (ann)`. */
export function nameOf(user: { name: string | null; username: string | null } | null): string {
  return user?.name ? `${user.name} (${user.username})` : 'Someone'
}

/** `Group / Subgroup / Project`. */
export function projectName({ project }: Pick<Delivery, 'project'>): string {
  return `${project.namespace_full_name} / ${project.name}`
}

/** Link to the project. */
export function projectLink(delivery: Delivery): TextPart {
  return { link: projectName(delivery), url: projectUrl(delivery) }
}

/** Link to a branch or tag. */
export function refLink(delivery: Delivery, ref: string, isTag: boolean): TextPart {
  const path = ref.split('/').map(encodeURIComponent).join('/')
  return { link: ref, url: `${projectUrl(delivery)}/-/${isTag ? 'tags' : 'commits'}/${path}` }
}

/** The first line of a text. */
export function firstLine(source: string): string {
  return source.split('\n', 1)[0]!.trim()
}
