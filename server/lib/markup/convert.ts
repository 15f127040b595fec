import { asPlainText, safeHtml, type Addresses } from '../markdown.ts'
import { asciidocHtml } from './asciidoc.ts'
import { orgHtml } from './org/blocks.ts'
import { rdocHtml } from './rdoc/blocks.ts'

type Convert = (text: string) => string | Promise<string>

const CONVERTERS: Readonly<Record<string, Convert>> = { asciidoc: asciidocHtml, org: orgHtml, rdoc: rdocHtml }

/** True for formats that are rendered here. Markdown is rendered elsewhere. */
export function isConverted(format: string): boolean {
  return Object.hasOwn(CONVERTERS, format)
}

/**
 * A text of any format but Markdown as safe HTML. Formats that are only read (textile, creole, rest, mediawiki, pod,
 * plaintext) are shown as they were written.
 */
export async function convertMarkup(format: string, text: string, addresses?: Addresses): Promise<string> {
  const convert = CONVERTERS[format]
  return convert ? safeHtml(await convert(text), addresses) : asPlainText(text)
}
