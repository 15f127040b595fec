import { z } from 'zod'

import { entity } from '../../http/entity.ts'
import { markdownLink } from '../markdown/uploads/entity.ts'
import type { PageFile } from './service-pages.ts'

/** A page for its entity; without content in lists that do not ask for it. */
export interface PageView {
  readonly page: Pick<PageFile, 'format' | 'slug' | 'title'>
  readonly content?: string | undefined
}

/** A page of a wiki (spec rest-api, Wiki page). */
export const WikiPage = entity(
  'WikiPage',
  {
    format: z.string(),
    slug: z.string(),
    title: z.string(),
    content: z.string().optional(),
    encoding: z.string().optional(),
  },
  ({ page, content }: PageView) => ({
    format: page.format,
    slug: page.slug,
    title: page.title,
    ...(content === undefined ? {} : { content, encoding: 'UTF-8' }),
  }),
)

/** An uploaded file of a wiki. */
export interface AttachmentView {
  readonly file_name: string
  readonly file_path: string
  readonly branch: string
}

/** An uploaded file of a wiki, with the Markdown for pages (spec rest-api, Attachment upload result). */
export const WikiAttachment = entity(
  'WikiAttachment',
  {
    file_name: z.string(),
    file_path: z.string(),
    branch: z.string(),
    link: z.strictObject({ url: z.string(), markdown: z.string() }),
  },
  ({ file_name, file_path, branch }: AttachmentView) => ({
    file_name,
    file_path,
    branch,
    link: { url: file_path, markdown: markdownLink(file_name, file_path) },
  }),
)
