import { asPlainText, safeHtml, type Addresses } from '../markdown.ts'
import { orgHtml } from './org/blocks.ts'
import { rdocHtml } from './rdoc/blocks.ts'

/** Classes of Asciidoctor that affect the look. Each gets a prefix, so that it has no other meaning in the window. */
const CLASSES = new Set(
  `admonitionblock note tip important caution warning title icon attribution exampleblock sidebarblock quoteblock
   verseblock conum checklist toc underline line-through big small halign-center halign-right`.split(/\s+/),
)

/** Attributes that a document may not change: no include, no remote content, no code. */
const ATTRIBUTES: Readonly<Record<string, string | null>> = {
  showtitle: '',
  env: 'wiki',
  'env-wiki': '',
  idprefix: 'user-content-',
  idseparator: '-',
  outfilesuffix: '.adoc',
  'max-include-depth': '0',
  'allow-uri-read': null,
  'data-uri': null,
  'source-highlighter': null,
  icons: null,
}

/** AsciiDoc as HTML, not sanitized yet. It can take long, so call it in a thread. */
async function asciidocHtml(text: string): Promise<string> {
  // Loaded on first use, because it is large.
  const { convert, LoggerManager, NullLogger } = await import('@asciidoctor/core')
  LoggerManager.logger = new NullLogger()
  const html = await convert(text, { safe: 'secure', attributes: { ...ATTRIBUTES } })
  return String(html).replace(/ class="([^"]*)"/g, (_, classes: string) => {
    const allowed = classes.split(/\s+/).flatMap((name) => {
      if (name.startsWith('language-')) return [name]
      return CLASSES.has(name) ? [`adoc-${name}`] : []
    })
    return allowed.length > 0 ? ` class="${allowed.join(' ')}"` : ''
  })
}

type Convert = (text: string) => string | Promise<string>

const CONVERTERS: Readonly<Record<string, Convert>> = { asciidoc: asciidocHtml, org: orgHtml, rdoc: rdocHtml }

/** True for formats that are rendered here. Markdown is rendered elsewhere. */
export function isConverted(format: string): boolean {
  return Object.hasOwn(CONVERTERS, format)
}

/**
 * A text of any format but Markdown as safe HTML. Formats that are only read (textile, creole, rest, mediawiki, pod,
 * plaintext) are shown as plain text.
 */
export async function convertMarkup(format: string, text: string, addresses?: Addresses): Promise<string> {
  const convert = CONVERTERS[format]
  return convert ? safeHtml(await convert(text), addresses) : asPlainText(text)
}
