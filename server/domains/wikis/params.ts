import { choice, text } from '../../http/params.ts'
import { WRITABLE_FORMATS } from './markup/index.ts'

/** Largest body with a page, bytes; the setting `wiki_page_max_content_bytes` asks for less. */
export const MAX_BODY = 64 * 1024 * 1024

/** Longest title, with its folders; what it names may have 4096 bytes. */
const MAX_TITLE = 4096

export const slugParam = {
  slug: text({ max: MAX_TITLE }).describe('Path of the page, without its extension'),
}

export const title = () => text({ max: MAX_TITLE }).describe('Title; `/` makes folders')
export const content = () => text({ max: MAX_BODY }).describe('Text of the page')
export const format = () => choice(...WRITABLE_FORMATS).describe('Markup of the page')
export const message = () => text({ max: 10_000 }).optional().describe('Message of the commit')
