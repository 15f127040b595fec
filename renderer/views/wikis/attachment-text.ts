import type { WikiFormat } from './wiki.ts'

const PICTURE = /\.(png|jpe?g|gif|webp|svg|bmp|ico)$/i

/** The text that includes an attachment in a page of a format. `markdown` is the one from the instance for Markdown. */
export const attachmentText = (
  format: WikiFormat,
  file: { file_name: string; link: { url: string; markdown: string } },
): string => {
  const { url, markdown } = file.link
  const isPicture = PICTURE.test(file.file_name)
  const name = file.file_name.replace(/[[\]{}]/g, '')
  if (format === 'asciidoc') return isPicture ? `image::${url}[${name}]` : `link:${url}[${name}]`
  if (format === 'org') return isPicture ? `[[file:${url}]]` : `[[file:${url}][${name}]]`
  if (format === 'rdoc') return isPicture ? `rdoc-image:${url}` : `{${name}}[link:${url}]`
  return markdown
}
