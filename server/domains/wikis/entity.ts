import { z } from 'zod'

import type { Commit } from '../../git/read/commits.ts'
import { entity, time, row } from '../../http/entity.ts'
import { sshAddress } from '../../lib/ssh/address.ts'
import { markdownLink } from '../markdown/entity.ts'
import type { PageFile, PageWithContent } from './service-pages.ts'
import { ownerPath, type WikiOwner } from './types.ts'

/** Git's dates have whole seconds and the author's time zone. The API adds milliseconds. */
function wireTime(date: string): string {
  return date.replace(/(?=[+-]\d\d:\d\d$)/, '.000')
}

const versionFields = {
  id: z.string(),
  message: z.string(),
  author_name: z.string(),
  author_email: z.string(),
  authored_date: time(),
}

function versionView(commit: Commit) {
  return {
    id: commit.id,
    message: commit.message,
    author_name: commit.author_name,
    author_email: commit.author_email,
    authored_date: wireTime(commit.authored_date),
  }
}

/** A commit that changed a page, and the format of the page. */
export interface VersionView {
  readonly commit: Commit
  readonly format: string
}

/** A version of a page, for the window. */
export const WikiVersion = entity(
  'WikiVersion',
  { ...versionFields, format: z.string() },
  ({ commit, format }: VersionView) => ({ ...versionView(commit), format }),
)

/** A page with its HTML. */
export interface DetailView extends PageWithContent {
  readonly html: string
  readonly last_commit: Commit | null
  readonly can_edit: boolean
}

/** A page as the window shows it. */
export const WikiPageDetail = entity(
  'WikiPageDetail',
  {
    slug: z.string(),
    title: z.string(),
    format: z.string(),
    content: z.string(),
    html: z.string(),
    last_version: z.strictObject(versionFields).nullable(),
    can_edit: z.boolean(),
  },
  row((view: DetailView) => view.page),
  ({ content, html, last_commit, can_edit }) => ({
    content,
    html,
    last_version: last_commit && versionView(last_commit),
    can_edit,
  }),
)

/** The contents of a wiki's sidebar. */
export interface TreeView {
  readonly owner: WikiOwner
  readonly pages: readonly PageFile[]
  readonly sidebar_html: string | null
  readonly default_branch: string | null
  readonly can_edit: boolean
}

/** The pages of a wiki, its custom sidebar and its clone URLs. */
export const WikiTree = entity(
  'WikiTree',
  {
    pages: z.array(z.strictObject({ slug: z.string(), title: z.string(), format: z.string() })),
    sidebar_html: z.string().nullable(),
    default_branch: z.string().nullable(),
    http_url_to_repo: z.string(),
    ssh_url_to_repo: z.string(),
    can_edit: z.boolean(),
  },
  ({ owner, pages, ...rest }: TreeView, at) => ({
    pages: pages.map(({ slug, title, format }) => ({ slug, title, format })),
    sidebar_html: rest.sidebar_html,
    default_branch: rest.default_branch,
    http_url_to_repo: `${at.cloneUrl ?? at.url}/${ownerPath(owner)}.wiki.git`,
    ssh_url_to_repo: sshAddress(`${ownerPath(owner)}.wiki`, at),
    can_edit: rest.can_edit,
  }),
)

/** A page with its content. Lists leave the content out unless the request includes it. */
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
