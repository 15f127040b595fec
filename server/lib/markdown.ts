import MarkdownIt from 'markdown-it'

import sanitizeHtml from 'sanitize-html'

import { ALLOWED } from './markdown/allowed.ts'
import { emoji, fences, headingAnchors, taskLists } from './markdown/plugins.ts'
import {
  marksOf,
  references,
  type FindReferences,
  type Mark,
  type ReferenceLink,
} from './markdown/references.ts'

export type { Mark, ReferenceLink } from './markdown/references.ts'

type Renderer = InstanceType<typeof MarkdownIt>

/** Larger texts are shown as they are: rendering must not hold up other requests. */
const MAX_RENDERED = 512 * 1024
/** Beyond that many a text is no longer about what it names. */
const MAX_MARKS = 2000

const renderers = { gfm: make(true), plain: make(false), referring: make(false).use(references) }

function make(breaks: boolean): Renderer {
  return new MarkdownIt({ html: true, linkify: true, breaks })
    .use(taskLists)
    .use(headingAnchors)
    .use(fences)
    .use(emoji)
}

function asPlainText(text: string): string {
  return `<pre>${renderers.plain.utils.escapeHtml(text)}</pre>`
}

/**
 * Markdown as safe HTML: tables, task lists, autolinks, heading anchors, emoji; scripts, styles, frames and event handlers
 * never survive. `breaks` turns single line ends into line breaks, as in comments. A text over 512 kB is shown as
 * plain text.
 */
export function renderMarkdown(text: string, options: { breaks?: boolean } = {}): string {
  if (text.length > MAX_RENDERED) return asPlainText(text)
  const html = (options.breaks ? renderers.gfm : renderers.plain).render(text)
  return sanitizeHtml(html, ALLOWED)
}

/** A text that was read once: what it may refer to, and how it looks when some of that has become links. */
export interface ReadText {
  readonly marks: readonly Mark[]
  /** Safe HTML. Marks for which `link` knows nothing stay as they were written. */
  render(link: (mark: Mark) => ReferenceLink | undefined): string
}

/**
 * Reads a text with the places that may be references: outside of code, links and escapes. `find` finds them in a piece of
 * it, if there are others than the usual ones.
 */
export function readMarkdown(text: string, find?: FindReferences): ReadText {
  if (text.length > MAX_RENDERED) return { marks: [], render: () => asPlainText(text) }
  const tokens = renderers.referring.parse(text, find ? { find } : {})
  const found = marksOf(tokens).slice(0, MAX_MARKS)
  return {
    marks: found.map(({ mark }) => mark),
    render(link) {
      for (const { mark, apply } of found) {
        const target = link(mark)
        if (target) apply(target)
      }
      const { renderer, options } = renderers.referring
      return sanitizeHtml(renderer.render(tokens, options, {}), ALLOWED)
    },
  }
}
