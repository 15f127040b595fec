import { z } from 'zod'

import { entity, time, type Presentation, row } from '../../../http/entity.ts'
import { namespaceUrl } from '../../namespaces/entity.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { ProjectIdentity } from '../../projects/entity.ts'
import type { Project } from '../../projects/index.ts'
import { Snippet, type SnippetView } from '../../snippets/entity.ts'
import type { MoveRow } from './store.ts'

/** A move with the title and the path of its container, for the window. */
export interface MoveListView {
  readonly move: MoveRow
  readonly title: string
  /** Path of the page of the moved container in the window. */
  readonly path: string
}

/** A move of any kind, for the window. */
export const StorageMoveLine = entity(
  'StorageMoveLine',
  {
    id: z.int(),
    kind: z.enum(['project', 'snippet', 'group']),
    title: z.string(),
    path: z.string(),
    state: z.string(),
    source_storage_name: z.string(),
    destination_storage_name: z.string(),
    bytes_done: z.int(),
    bytes_total: z.int().nullable(),
    error_message: z.string().nullable(),
    created_at: time(),
    updated_at: time(),
  },
  row((view: MoveListView) => view.move),
  ({ title, path }) => ({
    title,
    path,
  }),
)

const fields = {
  id: z.int(),
  created_at: time(),
  state: z.string(),
  source_storage_name: z.string(),
  destination_storage_name: z.string(),
  error_message: z.string().nullable(),
}

function commonFields({ move }: { readonly move: MoveRow }) {
  const { id, created_at, state, source_storage_name, destination_storage_name, error_message } = move
  return { id, created_at, state, source_storage_name, destination_storage_name, error_message }
}

/** The move of a project's repository (spec administration 9). */
export const ProjectStorageMove = entity(
  'ProjectStorageMove',
  { ...fields, project: ProjectIdentity.schema },
  (view: { readonly move: MoveRow; readonly project: Project }, at: Presentation) => ({
    ...commonFields(view),
    project: ProjectIdentity.present(view.project, at),
  }),
)

const snippetFields = Snippet.fields
const MovedSnippet = z.strictObject({
  id: snippetFields.id,
  title: snippetFields.title,
  description: snippetFields.description,
  visibility: snippetFields.visibility,
  updated_at: snippetFields.updated_at,
  created_at: snippetFields.created_at,
  project_id: snippetFields.project_id,
  web_url: snippetFields.web_url,
  raw_url: snippetFields.raw_url,
  ssh_url_to_repo: snippetFields.ssh_url_to_repo,
  http_url_to_repo: snippetFields.http_url_to_repo,
})

/** The move of a snippet's repository. */
export const SnippetStorageMove = entity(
  'SnippetStorageMove',
  { ...fields, snippet: MovedSnippet },
  (view: { readonly move: MoveRow; readonly snippet: SnippetView }, at: Presentation) => {
    const {
      author: _author,
      file_name: _name,
      files: _files,
      repository_storage: _storage,
      ...rest
    } = Snippet.present(view.snippet, at)
    return { ...commonFields(view), snippet: rest }
  },
)

const MovedGroup = z.strictObject({ id: z.int(), web_url: z.string(), name: z.string() })

/** The move of a group's wiki. */
export const GroupStorageMove = entity(
  'GroupStorageMove',
  { ...fields, group: MovedGroup },
  (view: { readonly move: MoveRow; readonly group: NamespaceRow }, at: Presentation) => {
    const { id, name } = view.group
    return { ...commonFields(view), group: { id, web_url: namespaceUrl(view.group, at), name } }
  },
)
