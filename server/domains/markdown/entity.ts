import { z } from 'zod'

import { entity } from '../../http/entity.ts'
import type { UploadRow } from './uploads/store.ts'

/** The files that browsers show inline. Markdown shows such uploads as images, and others as links (spec core 1.5). */
const INLINE = /\.(png|jpe?g|gif|bmp|tiff|ico|webp|svg|mp4|m4v|mov|webm|ogv|mp3|oga|ogg|spx|wav)$/i

/** Returns the alternative text of a file: its name, for an image without the extension. */
function altOf(name: string): string {
  return INLINE.test(name) ? name.replace(/\.[^.]+$/, '') : name
}

/** Returns the Markdown for a file: an image if browsers can show it, a link otherwise. */
export function markdownLink(name: string, url: string): string {
  return `${INLINE.test(name) ? '!' : ''}[${altOf(name)}](${url})`
}

/** An uploaded file, with the Markdown for texts of its project. */
export const ProjectUpload = entity(
  'ProjectUpload',
  { id: z.int(), alt: z.string(), url: z.string(), full_path: z.string(), markdown: z.string() },
  ({ upload, project_path }: { upload: UploadRow; project_path: string }) => {
    const url = `/uploads/${upload.secret}/${upload.file_name}`
    return {
      id: upload.id,
      alt: altOf(upload.file_name),
      url,
      full_path: `/${project_path}${url}`,
      markdown: markdownLink(upload.file_name, url),
    }
  },
)

/** A text that was rendered as HTML. */
export const Html = entity('Html', { html: z.string() }, (html: string) => ({ html }))
