import { z } from 'zod'

import { entity } from '../../http/entity.ts'
import type { UploadRow } from './uploads/store.ts'

/** Files that browsers show inline. Such uploads become images in Markdown, others links (spec core 1.5). */
const SHOWN = /\.(png|jpe?g|gif|bmp|tiff|ico|webp|svg|mp4|m4v|mov|webm|ogv|mp3|oga|ogg|spx|wav)$/i

/** The alternative text of a file: images without their extension. */
function altOf(name: string): string {
  return SHOWN.test(name) ? name.replace(/\.[^.]+$/, '') : name
}

/** Markdown for a file: an image if browsers can show it, a link otherwise. */
export function markdownLink(name: string, url: string): string {
  return `${SHOWN.test(name) ? '!' : ''}[${altOf(name)}](${url})`
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

/** Rendered text. */
export const Html = entity('Html', { html: z.string() }, (html: string) => ({ html }))
