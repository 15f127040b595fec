import type { Selectable } from 'kysely'

import type { TodosTable } from '../../db/schema.gen.ts'

/** A to-do item as stored. */
export type TodoRow = Selectable<TodosTable>

/** The reasons for to-do items (spec administration 7.2). */
export const ACTIONS = [
  'assigned',
  'mentioned',
  'build_failed',
  'marked',
  'approval_required',
  'unmergeable',
  'directly_addressed',
  'merge_train_removed',
  'review_requested',
  'member_access_requested',
] as const

export type TodoAction = (typeof ACTIONS)[number]

/** The actions for which a user may have several pending items about one subject. Other actions have only one item. */
export const REPEATABLE = ['mentioned', 'directly_addressed', 'member_access_requested'] as const

/** The types of the subjects of to-do items (spec administration 7.1). */
export const TARGET_TYPES = [
  'Issue',
  'MergeRequest',
  'Commit',
  'Epic',
  'DesignManagement::Design',
  'AlertManagement::Alert',
  'Namespace',
  'Project',
] as const

export type TargetType = (typeof TARGET_TYPES)[number]

/** The columns of an item that refer to its subject. */
export type TodoSubject = Pick<TodoRow, 'target_type' | 'target_id' | 'commit_id' | 'project_id' | 'group_id'>
