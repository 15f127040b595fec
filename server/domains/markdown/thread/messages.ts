import type { Mark, ReferenceLink } from '../../../lib/markdown.ts'
import type { WikiPosition } from '../../../lib/markup/wiki-addresses.ts'
import type { TrackerSettings } from '../trackers.ts'

/** A text to render. */
export interface Order {
  readonly format: string
  readonly text: string
  /** Where it stands, if it is a page of a wiki. */
  readonly wiki?: WikiPosition | undefined
  /** How issues that are kept elsewhere are written. */
  readonly tracker?: TrackerSettings | undefined
}

/** What is said to the thread: an order, and then the links of the marks that it found. */
export type ToThread =
  | { readonly kind: 'order'; readonly order: Order }
  | { readonly kind: 'links'; readonly links: readonly (ReferenceLink | undefined)[] }

/** What the thread says: the marks of a Markdown text, and the end. */
export type FromThread =
  | { readonly kind: 'marks'; readonly marks: readonly Mark[] }
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'failed'; readonly stack: string }
