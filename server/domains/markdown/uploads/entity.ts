import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { UploadRow } from './store.ts'

/** What browsers show in place; the text of such an upload is a picture, of others a link (spec core 1.5). */
const SHOWN = /\.(png|jpe?g|gif|bmp|tiff|ico|webp|svg|mp4|m4v|mov|webm|ogv|mp3|oga|ogg|spx|wav)$/i

/** What a file is called in a text: pictures without their ending. */
function altOf(name: string): string {
  return SHOWN.test(name) ? name.replace(/\.[^.]+$/, '') : name
}

/** How a text names a file at an address: shown in place where browsers can, a link otherwise. */
export function markdownLink(name: string, url: string): string {
  return `${SHOWN.test(name) ? '!' : ''}[${altOf(name)}](${url})`
}

/** An uploaded file as texts of its project refer to it. */
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
