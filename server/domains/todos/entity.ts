import { z } from 'zod'

import { entity, time, type Presentation } from '../../http/entity.ts'
import { Issue } from '../planning/issues/entity.ts'
import { NamespaceBasic } from '../namespaces/entity.ts'
import type { NamespaceBasicRow } from '../namespaces/index.ts'
import { ProjectIdentity, ProjectSimple } from '../projects/entity.ts'
import { fullPath, type Project } from '../projects/index.ts'
import { Commit } from '../repository/commits/entity.ts'
import { UserBasic } from '../users/entity.ts'
import type { UserBasicRow } from '../users/index.ts'
import { singleFields, singleView } from '../merge_requests/entity.ts'
import type { MergeRequestSingleView } from '../merge_requests/index.ts'
import { ACTIONS, TARGET_TYPES, type TodoRow } from './types.ts'

const { subscribed: _, ...mergeRequestFields } = singleFields

/** A merge request in a to-do item: its single view without the subscription of the reader (spec core 5.1). */
export const TodoMergeRequest = entity(
  'TodoMergeRequest',
  mergeRequestFields,
  (view: MergeRequestSingleView, at) => {
    const { subscribed: _subscribed, ...fields } = singleView(view, at)
    return fields
  },
)

type RowOf<View extends { present(row: never, at: Presentation): unknown }> = Parameters<View['present']>[0]

type TargetView =
  | { readonly type: 'Issue'; readonly view: RowOf<typeof Issue> }
  | { readonly type: 'MergeRequest'; readonly view: MergeRequestSingleView }
  | { readonly type: 'Commit'; readonly view: RowOf<typeof Commit> }
  | { readonly type: 'Project'; readonly view: RowOf<typeof ProjectSimple> }
  | { readonly type: 'Namespace'; readonly view: NamespaceBasicRow }

/** The subject of a to-do item. */
export type TodoTarget = TargetView & {
  /** The path of its page, relative to the URL of the instance, without a leading slash. */
  readonly page: string
  readonly title: string
}

function presentTarget(target: TodoTarget, at: Presentation) {
  switch (target.type) {
    case 'Issue':
      return Issue.present(target.view, at)
    case 'MergeRequest':
      return TodoMergeRequest.present(target.view, at)
    case 'Commit':
      return Commit.present(target.view, at)
    case 'Project':
      return ProjectSimple.present(target.view, at)
    case 'Namespace':
      return NamespaceBasic.present(target.view, at)
  }
}

/** A to-do item with the data of its entity. */
export interface TodoView {
  readonly todo: TodoRow
  readonly author: UserBasicRow
  readonly project: Project | undefined
  readonly group: NamespaceBasicRow | undefined
  /** Undefined for a deleted subject. */
  readonly target: TodoTarget | undefined
  /** The text of the note that caused the item. */
  readonly note: string | undefined
}

const projectFields = ProjectIdentity.fields
const TodoProject = z.strictObject({
  id: projectFields.id,
  name: projectFields.name,
  name_with_namespace: projectFields.name_with_namespace,
  path: projectFields.path,
  path_with_namespace: projectFields.path_with_namespace,
})

function presentProject(project: Project, at: Presentation): z.output<typeof TodoProject> {
  const { id, name, name_with_namespace, path, path_with_namespace } = ProjectIdentity.present(project, at)
  return { id, name, name_with_namespace, path, path_with_namespace }
}

/** Returns the body: the text of the note, the path of the project or group of an access request, or the title. */
function bodyOf({ todo, project, group, note, target }: TodoView): string {
  if (todo.action === 'member_access_requested') return project ? fullPath(project) : (group?.full_path ?? '')
  return note ?? target?.title ?? ''
}

/** A to-do item (spec administration 7.1). */
export const Todo = entity(
  'Todo',
  {
    id: z.int(),
    project: TodoProject.optional(),
    group: NamespaceBasic.schema.optional(),
    author: UserBasic.schema,
    action_name: z.enum(ACTIONS),
    target_type: z.enum(TARGET_TYPES),
    target: z
      .union([
        Issue.schema,
        TodoMergeRequest.schema,
        Commit.schema,
        ProjectSimple.schema,
        NamespaceBasic.schema,
      ])
      .nullable(),
    target_url: z.string(),
    body: z.string(),
    state: z.enum(['pending', 'done']),
    created_at: time(),
    updated_at: time(),
  },
  (view: TodoView, at) => {
    const { todo, project, group, target } = view
    const anchor = todo.note_id === null ? '' : `#note_${todo.note_id}`
    return {
      id: todo.id,
      ...(project ? { project: presentProject(project, at) } : {}),
      ...(group ? { group: NamespaceBasic.present(group, at) } : {}),
      author: UserBasic.present(view.author, at),
      action_name: todo.action,
      target_type: todo.target_type,
      target: target ? presentTarget(target, at) : null,
      target_url: `${at.url}/${target?.page ?? ''}${anchor}`,
      body: bodyOf(view),
      state: todo.state,
      created_at: todo.created_at,
      updated_at: todo.updated_at,
    }
  },
)
