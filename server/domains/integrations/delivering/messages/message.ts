import type { Text } from './markup.ts'

/** What stands below the first line of a message (spec administration 3.5, "Message content"). */
export interface Attachment {
  readonly title?: string
  readonly title_link?: string
  readonly text?: Text
  /** A colour, or one of the words that chats know: good, warning, danger. */
  readonly color: string
  readonly author?: { readonly name: string; readonly icon: string | null; readonly link: string | null }
  readonly fields?: readonly { readonly title: string; readonly value: Text; readonly short: boolean }[]
  readonly footer?: { readonly name: string; readonly icon: string | null }
  /** Seconds since 1970. */
  readonly ts?: number
  /** For those who show nothing of the above. */
  readonly fallback?: Text
}

/** An event as people are told of it, before it has the form of any chat. */
export interface Message {
  /** The first line; empty where the attachment says it all. */
  readonly pretext: Text
  /** Everything in one line. */
  readonly summary: Text
  readonly attachments: readonly Attachment[]
  /** The same for chats that show messages as cards. */
  readonly activity: {
    readonly title: Text
    readonly subtitle: Text
    readonly text: Text
    readonly image: string | null
  }
  readonly author: { readonly name: string; readonly avatar: string | null }
  /** The same for messages that belong together. */
  readonly thread: string
}

/** What somebody wrote is not told at any length. */
const MOST_OF_A_TEXT = 8000

/** A text as it is told, cut where it is very long. */
export function shortened(source: string, most: number = MOST_OF_A_TEXT): string {
  if (source.length <= most) return source
  return `${source.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
