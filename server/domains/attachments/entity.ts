import { z } from 'zod'

import { entity } from '../../http/entity.ts'
import type { UploadRow } from './store.ts'

/** What browsers show in place; the text of such an upload is a picture, of others a link (spec core 1.5). */
const SHOWN = /\.(png|jpe?g|gif|bmp|tiff|ico|webp|svg|mp4|m4v|mov|webm|ogv|mp3|oga|ogg|spx|wav)$/i

/** An uploaded file as texts of its project refer to it. */
export const ProjectUpload = entity(
  'ProjectUpload',
  { id: z.int(), alt: z.string(), url: z.string(), full_path: z.string(), markdown: z.string() },
  ({ upload, project_path }: { upload: UploadRow; project_path: string }) => {
    const url = `/uploads/${upload.secret}/${upload.file_name}`
    const isShown = SHOWN.test(upload.file_name)
    const alt = isShown ? upload.file_name.replace(/\.[^.]+$/, '') : upload.file_name
    return {
      id: upload.id,
      alt,
      url,
      full_path: `/${project_path}${url}`,
      markdown: `${isShown ? '!' : ''}[${alt}](${url})`,
    }
  },
)
