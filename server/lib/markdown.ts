import MarkdownIt from 'markdown-it'

import sanitizeHtml, { type IOptions, type Transformer } from 'sanitize-html'

import type { Addresses } from './markup/wiki-addresses.ts'
import { ALLOWED } from './markdown/allowed.ts'
import { tableOfContents } from './markdown/contents.ts'
import { emoji, fences, headingAnchors, taskLists, footnotes, formulas } from './markdown/plugins.ts'
import {
  marksOf,
  references,
  type FindReferences,
  type Mark,
  type ReferenceLink,
} from './markdown/references.ts'
import { wikiLinks } from './markdown/wiki-links.ts'

export type { Addresses } from './markup/wiki-addresses.ts'
export type { FindReferences, Mark, ReferenceLink } from './markdown/references.ts'

type Renderer = InstanceType<typeof MarkdownIt>

/** Larger texts are shown as plain text, because rendering blocks other requests. */
const MAX_RENDERED = 512 * 1024
/** The maximum number of references in a text. */
const MAX_MARKS = 2000

const renderers = {
  gfm: createRenderer(true),
  plain: createRenderer(false),
  withReferences: createRenderer(false).use(wikiLinks).use(references),
}

function createRenderer(breaks: boolean): Renderer {
  return new MarkdownIt({ html: true, linkify: true, breaks })
    .use(taskLists)
    .use(headingAnchors)
    .use(tableOfContents)
    .use(fences)
    .use(emoji)
    .use(footnotes)
    .use(formulas)
}

/** Only the start of a longer text is shown. */
const MAX_SHOWN = 1024 * 1024

/** A text as plain HTML; only the start of a very long one. */
export function asPlainText(text: string): string {
  const escapedText = renderers.plain.utils.escapeHtml(text.slice(0, MAX_SHOWN))
  const rest = text.length > MAX_SHOWN ? '<p>The rest of this text is too long to be shown here.</p>' : ''
  return `<pre>${escapedText}</pre>${rest}`
}

/** Sanitizes HTML. `addresses` resolves relative links and pictures. */
export function safeHtml(html: string, addresses?: Addresses): string {
  return sanitizeHtml(html, addresses ? withAddresses(addresses) : ALLOWED)
}

/** The sanitizer checks attributes after these functions, so the addresses that they return cannot be dangerous. */
function withAddresses({ link, picture }: Addresses): IOptions {
  const { a, ...others } = ALLOWED.transformTags as Readonly<Record<string, Transformer>>
  return {
    ...ALLOWED,
    transformTags: {
      ...others,
      a: (tag, attribs) => {
        const { href } = attribs
        return a!(tag, href === undefined ? attribs : { ...attribs, href: link(href) })
      },
      img: (tagName, attribs) => {
        const { src } = attribs
        return { tagName, attribs: src === undefined ? attribs : { ...attribs, src: picture(src) } }
      },
    },
  }
}

/**
 * Markdown as safe HTML: tables, task lists, footnotes, formulas, autolinks, heading anchors, emoji; scripts, styles,
 * frames and event handlers are removed. `breaks` turns single line ends into line breaks, as in comments. A text
 * over 512 kB is shown as plain text.
 */
export function renderMarkdown(text: string, options: { breaks?: boolean } = {}): string {
  if (text.length > MAX_RENDERED) return asPlainText(text)
  const html = (options.breaks ? renderers.gfm : renderers.plain).render(text)
  return sanitizeHtml(html, ALLOWED)
}

/** A parsed text: its possible references, and its HTML with some of them as links. */
export interface ParsedText {
  readonly marks: readonly Mark[]
  /** Safe HTML. Marks without a link stay as they were written. */
  render(link: (mark: Mark, index: number) => ReferenceLink | undefined, addresses?: Addresses): string
}

export interface ParseOptions {
  /** Replaces the default search for references. */
  readonly find?: FindReferences | undefined
  /** True for a wiki page, in which `[[Page]]` is a link. */
  readonly wiki?: boolean | undefined
  /** Limit in characters above which the text is shown as plain text. */
  readonly limit?: number | undefined
}

/** Parses a text and finds possible references, outside of code, links and escapes. */
export function parseMarkdown(
  text: string,
  { find, wiki, limit = MAX_RENDERED }: ParseOptions = {},
): ParsedText {
  if (text.length > limit) return { marks: [], render: () => asPlainText(text) }
  const tokens = renderers.withReferences.parse(text, { find, wiki })
  const marks = marksOf(tokens).slice(0, MAX_MARKS)
  return {
    marks: marks.map(({ mark }) => mark),
    render(link, addresses) {
      for (const [index, { mark, apply }] of marks.entries()) {
        const target = link(mark, index)
        if (target) apply(target)
      }
      const { renderer, options } = renderers.withReferences
      return safeHtml(renderer.render(tokens, options, {}), addresses)
    },
  }
}
