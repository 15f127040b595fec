import { z } from 'zod'

import { entity, time, type Presentation, type Shown } from '../../http/entity.ts'
import { Issue } from '../planning/issues/entity.ts'
import { NamespaceBasic } from '../namespaces/entity.ts'
import type { NamespaceBasicRow } from '../namespaces/index.ts'
import { ProjectIdentity, ProjectSimple } from '../projects/entity.ts'
import { fullPath, type Project } from '../projects/index.ts'
import { Commit } from '../repository/commits/entity.ts'
import { UserBasic } from '../users/entity.ts'
import type { UserBasicRow } from '../users/index.ts'
import { TodoMergeRequest } from './merge-request-entity.ts'
import { ACTIONS, TARGET_TYPES, type TodoRow } from './todo.ts'

/** What an item is about, with how it is shown. */
export interface TodoTarget {
  readonly shown: Shown
  /** Its page below the address of the instance, without a slash in front. */
  readonly page: string
  readonly title: string
}

/** A to-do item with everything that it shows. */
export interface TodoView {
  readonly todo: TodoRow
  readonly author: UserBasicRow
  readonly project: Project | undefined
  readonly group: NamespaceBasicRow | undefined
  /** Undefined for what is gone. */
  readonly target: TodoTarget | undefined
  /** Text of the note that made it. */
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

function projectOf(project: Project, at: Presentation): z.output<typeof TodoProject> {
  const { id, name, name_with_namespace, path, path_with_namespace } = ProjectIdentity.present(project, at)
  return { id, name, name_with_namespace, path, path_with_namespace }
}

/** What stands in an item: the words of the note, the path of what was asked for, else the title of the thing. */
function bodyOf({ todo, project, group, note, target }: TodoView): string {
  if (todo.action === 'member_access_requested') return project ? fullPath(project) : (group?.full_path ?? '')
  return note ?? target?.title ?? ''
}

/** Something that waits for a user (spec administration 7.1). */
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
      ...(project ? { project: projectOf(project, at) } : {}),
      ...(group ? { group: NamespaceBasic.present(group, at) } : {}),
      author: UserBasic.present(view.author, at),
      action_name: todo.action as (typeof ACTIONS)[number],
      target_type: todo.target_type as (typeof TARGET_TYPES)[number],
      target: (target?.shown.entity.present(target.shown.row, at) ?? null) as never,
      target_url: `${at.url}/${target?.page ?? ''}${anchor}`,
      body: bodyOf(view),
      state: todo.state as 'pending' | 'done',
      created_at: todo.created_at,
      updated_at: todo.updated_at,
    }
  },
)
