import { z } from 'zod'

import { entity, time, type Presentation, row } from '../../../http/entity.ts'
import { namespaceUrl } from '../../namespaces/entity.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { ProjectIdentity } from '../../projects/entity.ts'
import type { Project } from '../../projects/index.ts'
import { Snippet, type SnippetView } from '../../snippets/entity.ts'
import type { MoveRow } from './store.ts'

/** A move with the names that the window shows. */
export interface MoveLineView {
  readonly move: MoveRow
  readonly title: string
  /** Path of the page of the moved container in the window. */
  readonly path: string
}

/** A move of any kind, as the window shows it. */
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
  row((view: MoveLineView) => view.move),
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

function common({ move }: { readonly move: MoveRow }) {
  const { id, created_at, state, source_storage_name, destination_storage_name, error_message } = move
  return { id, created_at, state, source_storage_name, destination_storage_name, error_message }
}

/** The move of a project's repository (spec administration 9). */
export const ProjectStorageMove = entity(
  'ProjectStorageMove',
  { ...fields, project: ProjectIdentity.schema },
  (view: { readonly move: MoveRow; readonly project: Project }, at: Presentation) => ({
    ...common(view),
    project: ProjectIdentity.present(view.project, at),
  }),
)

const shown = Snippet.fields
const MovedSnippet = z.strictObject({
  id: shown.id,
  title: shown.title,
  description: shown.description,
  visibility: shown.visibility,
  updated_at: shown.updated_at,
  created_at: shown.created_at,
  project_id: shown.project_id,
  web_url: shown.web_url,
  raw_url: shown.raw_url,
  ssh_url_to_repo: shown.ssh_url_to_repo,
  http_url_to_repo: shown.http_url_to_repo,
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
    return { ...common(view), snippet: rest }
  },
)

const MovedGroup = z.strictObject({ id: z.int(), web_url: z.string(), name: z.string() })

/** The move of a group's wiki. */
export const GroupStorageMove = entity(
  'GroupStorageMove',
  { ...fields, group: MovedGroup },
  (view: { readonly move: MoveRow; readonly group: NamespaceRow }, at: Presentation) => {
    const { id, name } = view.group
    return { ...common(view), group: { id, web_url: namespaceUrl(view.group, at), name } }
  },
)
