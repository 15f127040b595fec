import { z } from 'zod'

import { entity, type Presentation, time } from '../../http/entity.ts'
import { sshAddress } from '../../lib/ssh/address.ts'
import { UserBasic } from '../users/entity.ts'
import type { UserBasicRow } from '../users/index.ts'
import { type SnippetRow } from './types.ts'

/** A snippet with the related rows of its entity. */
export interface SnippetView {
  readonly snippet: SnippetRow
  readonly author: UserBasicRow
  /** Full path of the project; undefined for a personal snippet. */
  readonly project_path: string | undefined
  readonly is_admin: boolean
}

const FileShape = z.object({ path: z.string(), raw_url: z.string() })

/** A path, encoded for a URL. */
function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** A snippet (spec core 6.6). */
export const Snippet = entity(
  'Snippet',
  {
    id: z.int(),
    title: z.string(),
    description: z.string().nullable(),
    visibility: z.string(),
    author: UserBasic.schema,
    created_at: time(),
    updated_at: time(),
    project_id: z.int().nullable(),
    web_url: z.string(),
    raw_url: z.string(),
    ssh_url_to_repo: z.string(),
    http_url_to_repo: z.string(),
    file_name: z.string().nullable(),
    files: z.array(FileShape),
    repository_storage: z.string().optional(),
  },
  ({ snippet, author, project_path, is_admin }: SnippetView, at: Presentation) => {
    const prefix = project_path === undefined ? '' : `${project_path}/`
    const web_url = `${at.url}/${prefix}-/snippets/${snippet.id}`
    const paths = snippet.files
    return {
      id: snippet.id,
      title: snippet.title,
      description: snippet.description,
      visibility: snippet.visibility,
      author: UserBasic.present(author, at),
      created_at: snippet.created_at,
      updated_at: snippet.updated_at,
      project_id: snippet.project_id,
      web_url,
      raw_url: `${web_url}/raw`,
      ssh_url_to_repo: sshAddress(`${prefix}snippets/${snippet.id}`, at),
      http_url_to_repo: `${at.cloneUrl ?? at.url}/${prefix}snippets/${snippet.id}.git`,
      file_name: paths[0] ?? null,
      files: paths.map((path) => ({
        path,
        raw_url: `${web_url}/raw/${snippet.default_branch}/${encoded(path)}`,
      })),
      ...(is_admin ? { repository_storage: snippet.repository_storage } : {}),
    }
  },
)

/** The client that created a snippet, for administrators. */
export const UserAgentDetail = entity(
  'UserAgentDetail',
  { user_agent: z.string(), ip_address: z.string(), spamcheck_submitted: z.boolean() },
  (row: SnippetRow) => ({
    user_agent: row.user_agent ?? '',
    ip_address: row.ip_address ?? '',
    spamcheck_submitted: false,
  }),
)
